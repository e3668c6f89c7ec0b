#pragma once

#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/environment.h"
#include "hpl/input/command_line/options.h"
#include "hpl/job/failure/watchdog.h"

namespace hpl {

/// Plans the runs of one HPL.dat or command line, makes and reports them, or does what the options
/// ask for in their place. Input errors are thrown as the same ConfigError on every rank; a run
/// that breaks ends with the process. Collective over `world`.
ExitCode run_job(const mpi::Communicator& world, const mpi::Environment& environment,
                 const Options& options, Watchdog& watchdog);

}  // namespace hpl
