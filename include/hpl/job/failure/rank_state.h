#pragma once

#include <string>
#include <vector>

#include "hpl/base/record/record.h"
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

}  // namespace hpl
