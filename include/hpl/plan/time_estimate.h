#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/job/ranks/machine.h"
#include "hpl/machine/decide/decide.h"
#include "hpl/machine/model/prediction.h"
#include "hpl/machine/model/rates.h"
#include "hpl/report/result/run_result.h"

namespace hpl {

/// Duration of runs: by the performance model if the rates of the machine are known, else at the
/// usual share of the attainable rate.
struct TimeEstimate {
  double attainable_gflops = 0;  ///< attainable rate of the grid; 0: unknown
  const Rates* rates = nullptr;  ///< null: unknown

  bool known() const { return rates != nullptr || attainable_gflops > 0; }
  /// Of the timed part.
  double seconds(const RunSpec& spec, const RunSettings& settings) const;
  /// The largest N, a multiple of NB, that ends within so many seconds; at least one block.
  std::int64_t order_within(const RunSpec& spec, const RunSettings& settings, double seconds) const;
  /// "at 85 % of the attainable rate of 160 GFLOP/s", "by the performance model and its
  /// rates"
  std::string basis() const;
};

/// The run that the rates in `file` let expect, N at least 1. Pure.
ExpectedRun expected_run(const RunSpec& spec, const RunSettings& settings, const Rates& rates,
                         const std::string& file);

/// The expected time line of every rank; empty if a simulation or its memory would be large. Pure.
Timelines expected_timelines(const RunSpec& spec, const RunSettings& settings, const Rates& rates);

/// The rates that --rates names; empty where it names none. Throws ConfigError, the same on every
/// rank, where they cannot be read or are of another machine. Collective over `world`.
std::optional<Rates> rates_of_job(const mpi::Communicator& world, const Options& options,
                                  const Machine& machine);
/// The machine whose rates are measured.
struct MeasuredMachine {
  ProcessorKind kind = ProcessorKind::Cpu;
  std::string processor;  ///< its name
  int threads = 1;        ///< compute threads of a rank on the host
};
/// Throws ConfigError where rates that `file` holds are not of this machine. Pure.
void require_same_machine(const std::string& file, const Rates& rates,
                          const MeasuredMachine& machine);
/// Throws ConfigError where rates that `file` holds do not tell what these runs need: links to
/// other ranks, panels on the device. Pure.
void require_rates_of_runs(const std::string& file, const Rates& rates,
                           const std::vector<RunSpec>& runs,
                           const std::vector<RunSettings>& settings);

}  // namespace hpl
