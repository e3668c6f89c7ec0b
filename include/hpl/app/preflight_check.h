#pragma once

#include <vector>

#include "hpl/app/machine.h"
#include "hpl/app/run_settings.h"
#include "hpl/base/error.h"
#include "hpl/check/check_report.h"
#include "hpl/config/hpl_dat.h"
#include "hpl/config/options.h"

namespace hpl {

/// What the check is about beside the machine: runs, if any are planned, and how each is made.
struct PlannedRuns {
  const HplDat& dat;
  const std::vector<RunSpec>& plan;
  const std::vector<RunSettings>& settings;
};

/// Checks the machine for these runs, or by itself when none is planned. Rows and columns are those
/// of the first grid, or of what would be chosen for all ranks. Looked after by the watchdog.
/// Complete on world rank 0. Collective over `world`.
CheckReport check_machine(CheckForm form, const mpi::Communicator& world, const Machine& machine,
                          const Options& options, const PlannedRuns& runs);

/// --check: the full form, printed to standard output or the file of --output, and written to the
/// file of --json. Returns the exit code. Collective over `world`.
ExitCode run_check(const mpi::Communicator& world, const Machine& machine, const Options& options,
                   const PlannedRuns& runs);

}  // namespace hpl
