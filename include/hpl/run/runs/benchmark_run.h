#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/plan/job_plan.h"
#include "hpl/report/result/run_result.h"
#include "hpl/run/runs/grid_links.h"

namespace hpl {

/// One run of a job, on the ranks of its grid. Borrows all that it refers to.
struct RunContext {
  const JobContext& job;
  const JobPlan& plan;
  std::size_t index;               ///< in the plan
  const mpi::Communicator& ranks;  ///< exactly P x Q of them
  /// The links of the last run on these ranks, or null. The run takes them and makes others if they
  /// do not suit it. A run that ends well leaves its links here.
  std::unique_ptr<GridLinks>& links;
  const RunSpec& spec = plan.runs[index];
  const RunSettings& settings = plan.settings[index];
  std::string_view purpose{};  ///< "the warm-up before ", if the run is not the planned one
  int repeat = 0;              ///< number of the repetition

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

  /// Facts of the machine, with the memory that the links have taken if there are any.
  Facts facts() const;
  /// For messages: "run 2 of 3, repetition 1 (N = 20000, NB = 192, 2 x 2, fine pipeline)".
  std::string label() const;
  /// An unobserved run of another kind on the same ranks.
  RunContext beside(const RunSpec& its_spec, const RunSettings& its_settings,
                    std::string_view its_purpose) const {
    return {job, plan, index, ranks, links, its_spec, its_settings, its_purpose};
  }
};

/// Carries out one run: generate, factorize, solve, verify. Collective over its ranks. The result
/// is complete on their rank 0. A failure of this rank in the timed part ends the job: MPI may
/// still read from the memory of the run, so that it must not be given back.
RunResult run_benchmark(const RunContext& run);

}  // namespace hpl
