#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hpl/base/record/record.h"
#include "hpl/lu/grid/process_grid.h"
#include "hpl/lu/pipeline/job_control.h"

namespace hpl {

/// Activities for which messages have words of their own.
namespace activity {
inline constexpr const char* kStartsMpi = "starts MPI";
inline constexpr const char* kFactorizes = "factorizes the matrix";
inline constexpr const char* kEndsMpi = "ends MPI";
}  // namespace activity

/// The state of one rank, as it reports it to the others when a job is aborted.
struct RankState {
  int rank = 0;
  std::string host;
  std::string activity;              ///< "factorizes", "checks the solution", ...
  std::string run;                   ///< the run of the job; empty outside of runs
  bool rests = false;                ///< it waits for the work of others
  double silent_seconds = 0;         ///< since its last progress
  double allowance_seconds = 0;      ///< beyond the watchdog's limit for this activity
  std::string failure;               ///< its exception; empty if nothing failed
  std::vector<WorkerState> workers;  ///< while it factorizes
};

void describe(Record& record, WorkerState& worker);
void describe(Record& record, RankState& state);

/// A state as one short text of any bytes, and back. A malformed text gives an empty state of that
/// rank.
std::string to_text(RankState state);
RankState rank_state(const std::string& text);

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
  std::vector<int> silent{};  ///< ranks that were asked and gave no answer
  std::vector<int> busy{};    ///< ranks that answered and had work
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

/// The end for those that report it: its first cause, describe_abort(), and its ranks. Pure.
BadEnd bad_end(const AbortReport& end);

/// The ranks that `worker` of `rank` waits for: those of the same process row or column that have
/// not come as far, and those that do not answer. Pure.
std::vector<int> awaited_ranks(const AbortReport& end, int rank, const WorkerState& worker);

/// The message about an abort: what happened, which ranks do not answer, who waited for whom in
/// which step and phase. Several lines; the first says the most. Pure.
std::string describe_abort(const AbortReport& end);

/// The message of a rank that cannot ask the others, while MPI starts or ends. Pure.
std::string describe_lone_abort(AbortCause cause, const RankState& here, double limit_seconds);

}  // namespace hpl
