#pragma once

#include <string>
#include <vector>

#include "hpl/pipeline/job_control.h"

namespace hpl {

/// What one rank does, as it tells the others when a job comes to a bad end.
struct RankState {
  int rank = 0;
  std::string host;
  std::string activity;              ///< "factorizes", "checks the solution", ...
  std::string run;                   ///< which run of the job; empty outside of runs
  double silent_seconds = 0;         ///< since it last got on
  std::string failure;               ///< what it threw; empty where nothing failed
  std::vector<WorkerState> workers;  ///< while it factorizes
};

/// As one short text, and back. A text that is none gives a state of that rank without words.
std::string to_text(const RankState& state);
RankState rank_state(const std::string& text);

}  // namespace hpl
