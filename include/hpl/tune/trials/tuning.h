#pragma once

#include "hpl/base/error/error.h"
#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/plan/job_plan.h"

namespace hpl {

/// `xhpl tune`: searches for the settings that are fastest here by trials, writes them as an
/// HPL.dat and what was measured as JSON. Goes on with what a job before has left there. `dat`:
/// what the flags give. Returns the exit code. Collective over the world: rank 0 decides what is
/// tried.
ExitCode run_tuning(const JobContext& job, HplDat dat);

}  // namespace hpl
