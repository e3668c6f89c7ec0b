#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hpl/job/failure/rank_state.h"
#include "hpl/lu/grid/process_grid.h"

namespace hpl {

/// Why a job is aborted.
enum class AbortCause {
  Stall,   ///< no progress for the watchdog's time
  Signal,  ///< SIGTERM from outside: a launcher whose rank has died, or a user
  Failure  ///< a rank failed
};

/// The end of an aborted job: Signal only where no rank has failed.
struct BadEnd {
  AbortCause cause = AbortCause::Failure;
  std::string message;
};

/// Host and grid position of a rank.
struct RankLocation {
  std::string host;
  std::optional<GridPosition> position;  ///< in the grid of the run; empty without a part in it
};

/// The facts at hand when a job is aborted.
struct AbortReport {
  AbortCause cause = AbortCause::Stall;
  double limit_seconds = 0;  ///< the watchdog's
  bool asked = true;  ///< the ranks could be asked; else those without a state need not be silent
  std::vector<RankLocation> places;              ///< of every rank of the job
  std::vector<std::optional<RankState>> states;  ///< by rank; empty: it does not answer
};

/// The failure of a rank, where there is one, for which the others were ended; else `cause`.
AbortCause first_cause(const AbortReport& end);

/// The ranks that `worker` of `rank` waits for: those of the same process row or column that have
/// not come as far, and those that do not answer. Pure.
std::vector<int> awaited_ranks(const AbortReport& end, int rank, const WorkerState& worker);

/// The message about an abort: what happened, which ranks do not answer, who waited for whom in
/// which step and phase. Several lines; the first says the most. Pure.
std::string describe_abort(const AbortReport& end);

/// The message of a rank that cannot ask the others, while MPI starts or ends. Pure.
std::string describe_lone_abort(AbortCause cause, const RankState& here, double limit_seconds);

}  // namespace hpl
