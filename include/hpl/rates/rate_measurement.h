#pragma once

#include "hpl/check/report/preflight_check.h"
#include "hpl/machine/model/rates.h"

namespace hpl {

/// `xhpl rates`: what the performance model needs, measured on all ranks and written as JSON.
/// Rows and columns are those of the first grid, or of what would be chosen for all ranks. Returns
/// the exit code. Collective over the world.
ExitCode run_rate_measurement(const JobContext& job, const JobPlan& plan);

/// The rates that such a job measures on the grid of `spec`, with its ranks in this layout.
/// Complete on every rank. Collective over the world, whose ranks are those of the grid.
Rates measure_rates_of(const JobContext& job, const RankLayout& layout, RunSpec spec);

}  // namespace hpl
