#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "hpl/job/live/power_meter.h"
#include "hpl/run/runs/grid_links.h"
#include "hpl/run/runs/job_output.h"
#include "hpl/run/runs/measured_run.h"

namespace hpl {

/// Makes the runs of a plan one after the other and hands what they measure to the output.
class JobRuns {
 public:
  /// Borrows everything. `live`: progress is shown.
  JobRuns(const JobContext& job, JobPlan& plan, JobGrid& grid, JobOutput& output, bool live);

  /// All repetitions of run `index`; none on ranks without a part in its grid, which wait as long
  /// as it takes. Collective over the world, in the order of the plan. Throws the ConfigError of a
  /// run on all ranks.
  std::vector<RunResult> make(std::size_t index);

 private:
  /// Blocks are distributed once for all repetitions.
  std::vector<RunResult> repetitions(RunContext run);
  /// `spans` receives this rank's time line if there is a trace.
  RunResult once(RunContext run, std::vector<Span>& spans);
  /// Adds the readings of the machine's meter; nothing without one.
  void add_meter(RunResult& result);
  /// By the rates of the machine, where they are known; on rank 0 of the run.
  bool is_predicted(const RunContext& run) const;
  std::optional<ExpectedRun> expected(const RunContext& run) const;
  void add_to_trace(const RunContext& run, const RunResult& result, const std::vector<Span>& spans);

  const JobContext& job_;
  JobPlan& plan_;
  JobGrid& grid_;
  JobOutput& output_;
  bool live_;
  MeasuredRun runs_;
  std::optional<PowerMeter> meter_;  // on rank 0
  double meter_reported_ = 0;        // seconds since 1970: complaints before have been reported
};

}  // namespace hpl
