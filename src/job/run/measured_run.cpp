#include "measured_run.h"

#include <utility>

#include "block_distribution.h"

namespace hpl {

namespace {

/// Whether the rate is compared with that of products alone.
bool is_compared(const PlannedRun& run) {
  const Options& options = run.job.options;
  return options.check.attainable_rate &&
         (run.spec().order >= kLeastWorthMeasuring || options.gates.min_efficiency.has_value());
}

}  // namespace

std::string MeasuredRun::distribute(JobPlan& plan, const PlannedRun& run) {
  BlockDistribution distribution = choose_distribution(run, rates_);
  plan.runs[run.index] = std::move(distribution.spec);
  return std::move(distribution.remark);
}

RunResult MeasuredRun::make(const PlannedRun& run, const std::function<RunResult()>& once) {
  warm_up_.before(run);
  const bool compared = is_compared(run);
  if (compared && !run.job.gpu()) rates_.before(run);
  RunResult result = once();
  if (run.job.options.wishes.reproducible && result.solution_hash) {
    const std::uint64_t first =
        first_hashes_.try_emplace(run.index, *result.solution_hash).first->second;
    if (*result.solution_hash != first) result.differs_from = first;
  }
  if (compared) rates_.judge(run, result);
  return result;
}

}  // namespace hpl
