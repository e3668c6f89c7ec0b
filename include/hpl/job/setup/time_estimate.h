#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/job/setup/machine.h"
#include "hpl/job/setup/run_settings.h"
#include "hpl/machine/model/rates.h"

namespace hpl {

/// How long runs will take: by the performance model where the rates of the machine are known, else
/// at the usual share of the measured DGEMM rate.
struct TimeEstimate {
  double attainable_gflops = 0;  ///< DGEMM rate of the grid; 0: unknown
  const Rates* rates = nullptr;  ///< null: unknown

  bool known() const { return rates != nullptr || attainable_gflops > 0; }
  /// Of the timed part.
  double seconds(const RunSpec& spec, const RunSettings& settings) const;
  /// The largest N, a multiple of NB, that ends within so many seconds; at least one block.
  std::int64_t order_within(const RunSpec& spec, const RunSettings& settings, double seconds) const;
  /// "at 85 % of the measured DGEMM rate of 160.0 GFLOP/s", "by the performance model and its
  /// rates"
  std::string basis() const;
};

/// The rates that --rates names; empty where it names none. Throws ConfigError, the same on every
/// rank, where they cannot be read or are of another machine. Collective over `world`.
std::optional<Rates> rates_of_job(const mpi::Communicator& world, const Options& options,
                                  const Machine& machine);
/// Throws ConfigError where rates that `file` holds are not of this processor. Pure.
void require_same_processor(const std::string& file, const Rates& rates, ProcessorKind kind,
                            const std::string& processor);

}  // namespace hpl
