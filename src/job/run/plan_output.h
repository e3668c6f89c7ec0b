#pragma once

#include "hpl/base/error/error.h"
#include "job_context.h"
#include "job_plan.h"

namespace hpl {

/// --write-dat: the plan as an HPL.dat, with what was chosen, for another time. Collective over the
/// world.
void write_dat_copy(const JobContext& job, const JobPlan& plan);

/// --explain and --dry-run: the plan on standard output. Collective over the world.
ExitCode show_plan(const JobContext& job, const JobPlan& plan);

/// The head of the report on the runs of the plan.
JobHeader job_header(const JobContext& job, const JobPlan& plan);

}  // namespace hpl
