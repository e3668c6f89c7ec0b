#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "planned_run.h"

namespace hpl {

/// A few steps of the same kind before a run, once for each grid size and NB: libraries load
/// kernels and get their buffers at the first call.
class WarmUp {
 public:
  /// Collective over the run's ranks.
  void before(const PlannedRun& run);

 private:
  std::set<std::pair<int, std::int64_t>> done_;  // ranks of the grid, NB
};

/// A residual that failed asks where: the factorization once more, with checksums compared in every
/// step. For the first such run of a job whose own checksums were not compared.
class ChecksumDiagnosis {
 public:
  /// True where checksums were compared; then they stand in the result. Collective over the run's
  /// ranks.
  bool after(const PlannedRun& run, RunResult& result);

 private:
  bool done_ = false;  // counts on rank 0, which takes part in every run
};

}  // namespace hpl
