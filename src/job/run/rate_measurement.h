#pragma once

#include "preflight_check.h"

namespace hpl {

/// --measure-rates: what the performance model needs, measured on all ranks and written as JSON.
/// Rows and columns are those of the first grid, or of what would be chosen for all ranks. Returns
/// the exit code. Collective over the world.
ExitCode run_rate_measurement(const JobContext& job, const JobPlan& plan);

}  // namespace hpl
