#include <numeric>
#include <optional>
#include <vector>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/lu/mixed/mixed_solver.h"
#include "hpl/lu/solve/solution_hash.h"
#include "run_system.h"

namespace hpl {

namespace {

class MixedRunSystem final : public RunSystem {
 public:
  explicit MixedRunSystem(const RunContext& run)
      : run_(run), system_(run.job.machine.device(), run.ranks, run.spec) {}

  const ProcessGrid& grid() const override { return system_.grid; }
  const LocalShape& shape() const override { return system_.shape; }
  const StageStreams& streams() const override { return system_.streams; }

  void set_up(FactorizationContext context, const GridLinks& links, RunResult&) override {
    solver_.emplace(system_, PanelColumn{*links.panel_column().transport, links.panel_ranks()},
                    context);
  }

  void solve(RunResult& result) override {
    solver_->factorize();
    const MixedStages& stages = solver_->stages();
    Recorder& recorder = stages.context().recorder;
    Refinement& refinement = result.refinement.emplace();
    refinement.factorization_seconds = recorder.now();
    if (!stages.factorized()) return;
    run_.job.watchdog.enter("refines the solution");
    const ScopedSpan span(recorder, Track::UpdateWorker, Phase::Refinement, stages.steps());
    solution_ = solver_->refine(refinement);
    refinement.refinement_seconds = recorder.now() - refinement.factorization_seconds;
  }

  std::int64_t end(RunResult& result) override {
    result.zero_pivot_column = solver_->stages().zero_pivot_column();
    const std::int64_t steps = solver_->stages().steps();
    solver_.reset();
    return steps;
  }

  void describe(RunResult& result, std::int64_t) const override {
    if (result.zero_pivot_column || result.stopped) {
      result.refinement.reset();
      return;
    }
    Refinement& refinement = *result.refinement;
    // The slowest rank's factorization; the rest of the time is the refinement's.
    refinement.factorization_seconds =
        run_.ranks.all_reduce(refinement.factorization_seconds, mpi::Reduce::Max);
    refinement.refinement_seconds = result.seconds - refinement.factorization_seconds;
    refinement.factorization_gflops = factorization_flops(run_.spec.order, run_.spec.order) /
                                      refinement.factorization_seconds / 1e9;
    std::uint64_t hash = 0;
    for (std::int64_t i = 0; i < std::ssize(solution_); ++i)
      hash += element_hash(system_.shape.rows.to_global({i}).value,
                           solution_[static_cast<std::size_t>(i)]);
    // Every process column has all of it.
    const std::vector<std::uint64_t> hashes = system_.grid.column().all_gather(hash);
    result.solution_hash = std::accumulate(hashes.begin(), hashes.end(), std::uint64_t{0});
  }

  Residual verify() const override { return system_.verify(solution_, run_.spec.threshold); }

 private:
  const RunContext& run_;
  MixedSystem system_;
  std::optional<MixedFactorization> solver_;
  std::vector<double> solution_;
};

}  // namespace

std::unique_ptr<RunSystem> make_mixed_run_system(const RunContext& run) {
  return std::make_unique<MixedRunSystem>(run);
}

}  // namespace hpl
