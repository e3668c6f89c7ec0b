#pragma once

#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/input/command_line/options.h"
#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/job/failure/watchdog.h"
#include "hpl/job/setup/machine.h"
#include "hpl/job/setup/run_settings.h"
#include "hpl/machine/check/check_report.h"

namespace hpl {

/// What is checked, and for what: the machine by itself where no run is planned.
struct CheckedJob {
  const mpi::Communicator& world;
  const Machine& machine;
  const Options& options;
  Watchdog& watchdog;
  const HplDat& dat;
  const std::vector<RunSpec>& plan;
  const std::vector<RunSettings>& settings;  ///< of each run of the plan
};

/// Checks the machine. Rows and columns are those of the first grid, or of what would be chosen for
/// all ranks. Complete on world rank 0. Collective over the world.
CheckReport check_machine(CheckForm form, const CheckedJob& job);

/// --check: the full form, printed to standard output or the file of --output, and written to the
/// file of --json. Returns the exit code. Collective over the world.
ExitCode run_check(const CheckedJob& job);

}  // namespace hpl
