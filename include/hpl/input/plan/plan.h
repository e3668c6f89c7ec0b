#pragma once

#include <vector>

#include "hpl/input/command_line/options.h"
#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/input/run_spec/run_spec.h"

namespace hpl {

/// The most runs that one job may ask for.
inline constexpr std::int64_t kMostRuns = 1'000'000;

/// `dat` with the fields that the command line gives replaced. -P and -Q pair up; where one of the
/// two (given or from the file) holds a single value, it goes with every value of the other. Throws
/// ConfigError when their numbers of values differ otherwise.
HplDat apply_overrides(HplDat dat, const Options& options);

/// `dat` for a job, or a member of a fleet, of `ranks`. P and Q of an HPL.dat that the command line
/// does not name are left open, with a remark, where they do not suit the ranks and the runs are
/// not those of the file: N is given, or there are no runs. A check then looks at no run of the
/// file.
HplDat fit_to_ranks(HplDat dat, const Options& options, int ranks);

/// Throws ConfigError with place, grid and `ranks` when the largest P x Q needs more than `ranks`
/// processes.
void validate_grid(const HplDat& dat, int ranks);

/// Every combination of the lists, in netlib's order, outermost first: grid, N, NB, DEPTH, BCAST,
/// RFACT, PFACT, NBMIN, NDIV. Throws ConfigError when a list is empty or there are more than
/// kMostRuns.
std::vector<RunSpec> plan_runs(const HplDat& dat);

/// The first grid of `dat` and its order of ranks, for what is measured without a run.
RunSpec first_grid(const HplDat& dat);

/// `dat` for runs of HPL-MxP: the fields that have no meaning for them get the usual value. A
/// remark names those that flags or a file gave.
HplDat without_pivoting(HplDat dat, const Options& options, bool from_file);

}  // namespace hpl
