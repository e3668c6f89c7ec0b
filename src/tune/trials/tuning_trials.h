#pragma once

#include <cstdint>
#include <vector>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/plan/job_plan.h"
#include "hpl/run/runs/job_runs.h"
#include "hpl/tune/search/tune_search.h"

namespace hpl {

/// A trial that rank 0 has chosen, for all ranks.
struct TuneCommand {
  bool end = false;
  TuneRequest request;
};

/// Gives every rank the command of rank 0. Collective.
TuneCommand broadcast(const mpi::Communicator& world, TuneCommand command);

/// Orders of small runs are multiples: GPUs lose a quarter by odd ones.
inline constexpr std::int64_t kOrderStep = 128;

/// Carries out the trials of `xhpl tune`, as runs like any other: the beginning of a run of the
/// order, and a whole run as small as the end of it, which is also checked.
class TuningTrials {
 public:
  /// Borrows both.
  TuningTrials(const JobContext& job, const std::vector<TuneSetting>& settings, std::int64_t order);

  /// The result is complete on rank 0. What cannot be run (memory, a transport that is not there)
  /// or fails its check is a measurement with a failure. Collective over the world.
  TuneMeasurement measure(const TuneRequest& request);

 private:
  void panel(const TunePoint& point, int level, TuneMeasurement& measured);
  void runs(const TunePoint& point, int level, TuneMeasurement& measured);
  /// Refuses by ConfigError what cannot be run.
  RunResult run(const Options& options, std::int64_t order, TuneMeasurement& measured);

  const JobContext& job_;
  const std::vector<TuneSetting>& settings_;
  std::int64_t order_;
  Options options_;  ///< of the run that is made: what trials_ refers to
  JobContext trial_;
  JobPlan plan_;
  JobOutput nothing_{false};
  JobGrid grid_;
  JobRuns job_runs_;
};

}  // namespace hpl
