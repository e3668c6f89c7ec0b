#include "hpl/job/live/projection.h"

#include <algorithm>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/job/live/progress.h"

namespace hpl {

std::int64_t steps_until(std::int64_t order, std::int64_t block_size, double fraction) {
  const double wanted = fraction * factorization_flops(order, order);
  std::int64_t few = 0, enough = (order + block_size - 1) / block_size;
  while (enough - few > 1) {
    const std::int64_t middle = few + (enough - few) / 2;
    (factorization_flops(order, middle * block_size) >= wanted ? enough : few) = middle;
  }
  return std::max<std::int64_t>(enough, 1);
}

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
