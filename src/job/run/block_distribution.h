#pragma once

#include <string>

#include "measured_rates.h"
#include "planned_run.h"

namespace hpl {

/// How the blocks of a run go to its processes.
struct BlockDistribution {
  RunSpec spec;        ///< of the run, with its weights
  std::string remark;  ///< on rank 0 of the run, where there is something to tell
};

/// The distribution that was asked for, or suits the machine, where it fits into memory: the plan
/// was made, and its memory found to be enough, for round-robin blocks. Collective over the run's
/// ranks.
BlockDistribution choose_distribution(const PlannedRun& run, MeasuredRates& rates);

}  // namespace hpl
