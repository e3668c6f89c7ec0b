#pragma once

#include "hpl/base/error/error.h"
#include "hpl/job/ranks/job_start.h"

namespace hpl {

/// Plans the runs of one HPL.dat or command line, makes and reports them, or does what the options
/// ask for in their place. Input errors are thrown as the same ConfigError on every rank; a run
/// that breaks ends with the process. Collective over the world.
ExitCode run_job(const JobStart& start);

}  // namespace hpl
