#pragma once

#include <vector>

#include "hpl/app/machine.h"
#include "hpl/app/run_settings.h"
#include "hpl/app/watchdog.h"
#include "hpl/base/error.h"
#include "hpl/check/check_report.h"
#include "hpl/config/hpl_dat.h"
#include "hpl/config/options.h"

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
