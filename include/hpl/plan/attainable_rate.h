#pragma once

#include <optional>
#include <vector>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/job/live/status_line.h"
#include "hpl/job/ranks/machine.h"
#include "hpl/lu/update/product_trial.h"
#include "hpl/machine/decide/decide.h"
#include "hpl/report/result/run_result.h"

namespace hpl {

/// The products of a run's tail update, as far as their rate depends on it.
struct TailProducts {
  ProductShape shape;          ///< of the largest of a rank
  bool in_one_thread = false;  ///< that enqueues them and computes meanwhile (serial pipeline)
  int emulated_moduli = 0;     ///< see RunSpec
  std::optional<MixedSpec> mixed{};  ///< of HPL-MxP; empty: in FP64
};
TailProducts tail_products(const RunSpec& spec, const RunSettings& settings);

/// The accuracy of a rate: for an estimate of sizes and times, or as a run's attainable rate.
enum class Accuracy { Estimate, Attainable };

/// Rates of matrix products alone, measured on all ranks of a run at the same time.
struct ProductRates {
  RateSource source;           ///< before or after a run
  std::vector<double> gflops;  ///< by rank

  double sum() const;
};

/// Has all ranks of `ranks` make such products at the same time, by the device, the threads and in
/// the order of a run, C as large as the run's unless that takes a quarter of the memory or longer
/// than a run would wait. Processors: the best of several stretches, which other work on them
/// disturbs the least. GPUs: what they sustain when they are hot, which takes five seconds. Rank 0
/// says so in the form of `view` before it begins. Gflop/s by rank, on every rank. Collective.
std::vector<double> measure_products(const Machine& machine, const mpi::Communicator& ranks,
                                     const TailProducts& products, Accuracy accuracy,
                                     const LiveView& view);

/// Sets the attainable rate of a run: of all rates that its ranks' products were seen at, alone or
/// in the run itself, the highest. So no run gets beyond it, and where the products alone were
/// disturbed the run's own say so. What they reached in the run counts only where ranks have
/// `own_processors`: sharing them, each rank's products take turns with those of others. Pure.
void set_attainable(RunResult& run, const std::vector<ProductRates>& alone, bool own_processors);

}  // namespace hpl
