#pragma once

#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/environment.h"
#include "hpl/input/command_line/options.h"
#include "hpl/job/failure/watchdog.h"

namespace hpl {

/// `xhpl fleet`: every member of the fleet makes the same run at the same time, again and again as
/// the options say; the members are judged by each other. A rank without a device is left out and
/// stands in the report; a run that breaks ends with the process. Collective over `world`.
ExitCode run_fleet(const mpi::Communicator& world, const mpi::Environment& environment,
                   const Options& options, Watchdog& watchdog);

}  // namespace hpl
