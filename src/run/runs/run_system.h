#pragma once

#include <cstdint>
#include <memory>

#include "hpl/lu/pipeline/factorization_stages.h"
#include "hpl/run/runs/benchmark_run.h"

namespace hpl {

/// The system of a run and what solves it: of HPL, or of HPL-MxP. All but the getters are
/// collective over its grid.
class RunSystem {
 public:
  virtual ~RunSystem() = default;

  virtual const ProcessGrid& grid() const = 0;
  virtual const LocalShape& shape() const = 0;
  virtual const StageStreams& streams() const = 0;

  /// Memory and library handles, before the clock runs. The ranks settle together what is left open
  /// in the settings of `context`, which are its own. Adds remarks to `result`.
  virtual void set_up(FactorizationContext context, const GridLinks& links, RunResult& result) = 0;
  /// The timed part.
  virtual void solve(RunResult& result) = 0;
  /// The end of what set_up() began. Returns the steps that were made.
  virtual std::int64_t end(RunResult& result) = 0;
  /// Adds the rest of its knowledge of the run.
  virtual void describe(RunResult& result, std::int64_t steps) const = 0;
  virtual Residual verify() const = 0;
};

/// Allocates and generates the system that the spec of the run names.
std::unique_ptr<RunSystem> make_run_system(const RunContext& run);
std::unique_ptr<RunSystem> make_mixed_run_system(const RunContext& run);

}  // namespace hpl
