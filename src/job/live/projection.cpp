#include "hpl/job/live/projection.h"

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/job/live/progress.h"

namespace hpl {

EarlyStop project(std::int64_t order, std::span<const StepRecord> steps, double seconds) {
  EarlyStop stop;
  if (steps.empty()) return stop;
  stop.columns_done = steps.back().columns_done;
  const ProgressEstimate part = estimate(order, stop.columns_done, seconds);
  stop.fraction = part.fraction;
  stop.gflops = part.gflops;
  stop.projected_seconds = seconds + part.seconds_left;
  stop.projected_gflops = benchmark_gflops(order, stop.projected_seconds);
  return stop;
}

}  // namespace hpl
