#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hpl/plan/attainable_rate.h"
#include "hpl/plan/job_plan.h"
#include "hpl/run/runs/benchmark_run.h"

namespace hpl {

/// Rates of matrix products alone, measured once at each moment (before or after runs) for the same
/// ranks in the same order and the same NB.
class MeasuredRates {
 public:
  /// `view`: the form of the word that a measurement begins.
  explicit MeasuredRates(const LiveView& view = {}) : view_(view) {}

  /// Measured before this run, or before one like it. Valid as long as this object. Collective over
  /// the run's ranks.
  const ProductRates& before(const RunContext& run) { return at(RateSource::Moment::Before, run); }

  /// The last measurement for this run, of all ranks in GFLOP/s; 0: none. Collective.
  double known_gflops(const RunContext& run);

  /// Sets the attainable rate of a run that was made. Collective over the run's ranks.
  void judge(const RunContext& run, RunResult& result);

 private:
  using Key = std::pair<std::vector<int>, std::int64_t>;  // ranks of the world, NB

  const ProductRates& at(RateSource::Moment moment, const RunContext& run);
  std::deque<ProductRates>& known(const RunContext& run);

  LiveView view_;
  std::map<Key, std::deque<ProductRates>> rates_;
};

/// The runs of a job on the same ranks with all that surrounds a run: the distribution of its
/// blocks, a warm-up, the rate of products alone, and the search for the place of a fault.
class MeasuredRun {
 public:
  explicit MeasuredRun(const LiveView& view = {}) : rates_(view) {}

  /// Distributes the blocks of the run in the plan, which `run` borrows, once for all its
  /// repetitions: as was asked for or suits the machine, where that fits into memory. The plan was
  /// made, and its memory found to be enough, for round-robin blocks. Returns a remark on rank 0 of
  /// the run, or nothing. Collective over the run's ranks, as all here.
  std::optional<Remark> distribute(JobPlan& plan, const RunContext& run);

  /// Makes the run by `once`. Adds the attainable rate and, under --reproducible, the hash of the
  /// solution that it must repeat.
  RunResult make(const RunContext& run, const std::function<RunResult()>& once);

  /// See MeasuredRates.
  double known_gflops(const RunContext& run) { return rates_.known_gflops(run); }

  /// A residual that failed asks where: the factorization once more, with checksums compared in
  /// every step. For the first such run of a job whose own checksums were not compared. True where
  /// they were; then they stand in the result.
  bool diagnose(const RunContext& run, RunResult& result);

 private:
  /// A few steps of the same kind, once for each grid size and NB: libraries load kernels and get
  /// their buffers at the first call.
  void warm_up(const RunContext& run);

  MeasuredRates rates_;
  std::set<std::pair<int, std::int64_t>> warm_;        // ranks of the grid, NB
  bool diagnosed_ = false;                             // on rank 0, which takes part in every run
  std::map<std::size_t, std::uint64_t> first_hashes_;  // of solutions, by index of the run
};

}  // namespace hpl
