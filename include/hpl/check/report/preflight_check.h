#pragma once

#include "hpl/base/error/error.h"
#include "hpl/check/findings/check_report.h"
#include "hpl/plan/job_plan.h"

namespace hpl {

/// Checks the machine for the runs of the plan, or by itself where it has none. Rows and columns
/// are those of the first grid, or of what would be chosen for all ranks. Complete on world rank 0.
/// `reference`: see PreflightSetup. Collective over the world.
CheckReport check_machine(CheckForm form, const JobContext& job, const JobPlan& plan,
                          const CheckReference* reference = nullptr);

/// `xhpl check`: the full form, with --deep the deep one, printed to standard output or the file of
/// --output, and written to the file of --json. Returns the exit code. Collective over the world.
ExitCode run_check(const JobContext& job, const JobPlan& plan);

}  // namespace hpl
