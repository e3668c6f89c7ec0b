#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hpl/job/setup/attainable_rate.h"
#include "planned_run.h"

namespace hpl {

/// Rates of matrix products alone, measured once at each moment (before or after runs) for the same
/// ranks in the same order and the same NB.
class MeasuredRates {
 public:
  /// Measured before this run, or before one like it. Valid as long as this object. Collective over
  /// the run's ranks.
  const ProductRates& before(const PlannedRun& run) { return at("before", run); }

  /// Sets the attainable rate of a run that was made. Collective over the run's ranks.
  void judge(const PlannedRun& run, RunResult& result);

 private:
  using Key = std::pair<std::vector<int>, std::int64_t>;  // ranks of the world, NB

  const ProductRates& at(const std::string& moment, const PlannedRun& run);
  std::deque<ProductRates>& known(const PlannedRun& run);

  std::map<Key, std::deque<ProductRates>> rates_;
};

}  // namespace hpl
