#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "measured_rates.h"
#include "planned_run.h"
#include "side_runs.h"

namespace hpl {

/// What belongs to a run beside the run itself, for the runs of a job on the same ranks: the
/// distribution of its blocks, a warm-up, the rate of products alone, and the search for the place
/// of a fault.
class MeasuredRun {
 public:
  /// Distributes the blocks of the run, once for all its repetitions: in the plan, which `run`
  /// borrows. Returns what is to be said about it. Collective over the run's ranks, as all here.
  std::string distribute(JobPlan& plan, const PlannedRun& run);

  /// Makes the run by `once`. Adds the attainable rate and, under --reproducible, the hash of the
  /// solution that it must repeat.
  RunResult make(const PlannedRun& run, const std::function<RunResult()>& once);

  /// See ChecksumDiagnosis.
  bool diagnose(const PlannedRun& run, RunResult& result) { return diagnosis_.after(run, result); }

 private:
  MeasuredRates rates_;
  WarmUp warm_up_;
  ChecksumDiagnosis diagnosis_;
  std::map<std::size_t, std::uint64_t> first_hashes_;  // of solutions, by index of the run
};

}  // namespace hpl
