#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hpl/plan/attainable_rate.h"
#include "hpl/plan/job_plan.h"
#include "hpl/run/runs/benchmark_run.h"

namespace hpl {

/// One run of a plan on the ranks of its grid. Borrows all that it is made of.
struct PlannedRun {
  const JobContext& job;
  const JobPlan& plan;
  std::size_t index;  ///< in the plan
  const mpi::Communicator& ranks;
  std::unique_ptr<GridLinks>& links;  ///< kept for all runs on these ranks

  const RunSpec& spec() const { return plan.runs[index]; }
  const RunSettings& settings() const { return plan.settings[index]; }

  /// Facts of the machine, with the memory that the links have taken if there are any.
  Facts facts() const {
    Facts facts = job.machine.facts();
    if (links) facts.link_bytes = links->device_bytes();
    return facts;
  }
  /// For messages: "run 2 of 3, repetition 1 (N = 20000, NB = 192, 2 x 2, fine pipeline)".
  std::string label(int repeat) const;
  /// The run itself, for run_benchmark().
  RunRequest request(std::string name) const {
    return {job, spec(), settings(), ranks, links, std::move(name)};
  }
};

/// Rates of matrix products alone, measured once at each moment (before or after runs) for the same
/// ranks in the same order and the same NB.
class MeasuredRates {
 public:
  /// `view`: the form of the word that a measurement begins.
  explicit MeasuredRates(const LiveView& view = {}) : view_(view) {}

  /// Measured before this run, or before one like it. Valid as long as this object. Collective over
  /// the run's ranks.
  const ProductRates& before(const PlannedRun& run) { return at(RateSource::Moment::Before, run); }

  /// The last measurement for this run, of all ranks in GFLOP/s; 0: none. Collective.
  double known_gflops(const PlannedRun& run);

  /// Sets the attainable rate of a run that was made. Collective over the run's ranks.
  void judge(const PlannedRun& run, RunResult& result);

 private:
  using Key = std::pair<std::vector<int>, std::int64_t>;  // ranks of the world, NB

  const ProductRates& at(RateSource::Moment moment, const PlannedRun& run);
  std::deque<ProductRates>& known(const PlannedRun& run);

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
  std::optional<Remark> distribute(JobPlan& plan, const PlannedRun& run);

  /// Makes the run by `once`. Adds the attainable rate and, under --reproducible, the hash of the
  /// solution that it must repeat.
  RunResult make(const PlannedRun& run, const std::function<RunResult()>& once);

  /// See MeasuredRates.
  double known_gflops(const PlannedRun& run) { return rates_.known_gflops(run); }

  /// A residual that failed asks where: the factorization once more, with checksums compared in
  /// every step. For the first such run of a job whose own checksums were not compared. True where
  /// they were; then they stand in the result.
  bool diagnose(const PlannedRun& run, RunResult& result);

 private:
  /// A few steps of the same kind, once for each grid size and NB: libraries load kernels and get
  /// their buffers at the first call.
  void warm_up(const PlannedRun& run);

  MeasuredRates rates_;
  std::set<std::pair<int, std::int64_t>> warm_;        // ranks of the grid, NB
  bool diagnosed_ = false;                             // on rank 0, which takes part in every run
  std::map<std::size_t, std::uint64_t> first_hashes_;  // of solutions, by index of the run
};

}  // namespace hpl
