#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hpl/plan/job_plan.h"
#include "hpl/report/result/run_result.h"
#include "hpl/run/runs/grid_links.h"

namespace hpl {

/// One run, on the ranks of its grid. Borrows all that it refers to.
struct RunRequest {
  const JobContext& job;
  const RunSpec& spec;
  const RunSettings& settings;
  const mpi::Communicator& ranks;  ///< exactly P x Q of them
  /// The links of the last run on these ranks, or null. The run takes them and makes others if they
  /// do not suit it. A run that ends well leaves its links here.
  std::unique_ptr<GridLinks>& links;
  std::string label;                                 ///< of the run, for messages
  std::function<void(const StepRecord&)> on_step{};  ///< called on grid rank 0
  /// Called on grid rank 0 with the text of ProgressSamples. Needs `progress_samples` on every
  /// rank.
  std::function<void(std::vector<std::string>)> on_ranks{};
  /// Called on grid rank 0 before the solution is checked: as soon as the clock has stopped, and
  /// again with the measurements of all ranks.
  std::function<void(RunResult)> on_unchecked{};
  bool progress_samples = false;
  bool working_times = false;          ///< gathers RunResult::rank_working
  std::vector<Span>* spans = nullptr;  ///< receives this rank's time line
};

/// Carries out one run: generate, factorize, solve, verify. Collective over its ranks. The result
/// is complete on their rank 0. A failure of this rank in the timed part ends the job: MPI may
/// still read from the memory of the run, so that it must not be given back.
RunResult run_benchmark(const RunRequest& request);

}  // namespace hpl
