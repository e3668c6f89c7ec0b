#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "job_output.h"
#include "measured_rates.h"
#include "planned_run.h"
#include "side_runs.h"

namespace hpl {

/// Makes the runs of a plan one after the other and hands what they measure to the output.
class JobRuns {
 public:
  /// Borrows everything. `live`: progress is shown.
  JobRuns(const JobContext& job, JobPlan& plan, JobOutput& output, bool live)
      : job_(job), plan_(plan), output_(output), live_(live) {}

  /// All repetitions of run `index`. Ranks without a part in its grid wait, as long as it takes.
  /// Collective over the world, in the order of the plan.
  void make(std::size_t index);

 private:
  /// Blocks are distributed once for all repetitions.
  std::vector<RunResult> repetitions(std::size_t index, const mpi::Communicator& ranks);
  RunResult once(const PlannedRun& run, int repeat);
  RunResult measured(const PlannedRun& run, int repeat);
  /// By the rates of the machine, where they are known; on rank 0 of the run.
  std::optional<ExpectedRun> expected(const PlannedRun& run) const;
  void add_to_trace(const PlannedRun& run, const RunResult& result, const std::vector<Span>& spans);

  const JobContext& job_;
  JobPlan& plan_;
  JobOutput& output_;
  bool live_;
  MeasuredRates rates_;
  WarmUp warm_up_;
  ChecksumDiagnosis diagnosis_;
};

}  // namespace hpl
