#pragma once

#include <span>
#include <vector>

#include "hpl/base/result/verification.h"
#include "hpl/lu/mixed/mixed_stages.h"

namespace hpl {

/// Solutions by the factors in few bits. Collective over the grid.
class MixedFactors {
 public:
  explicit MixedFactors(const MixedSystem& system);

  /// Device memory that it allocates.
  static MemoryBytes bytes(const LocalShape& shape, bool shares_host_memory);

  /// x := U^-1 L^-1 v, about A^-1 v, in FP32: v is scaled to a largest element of 1 before. Each
  /// factor is read once. Vectors as those of the system. `scales`: of L, by step.
  void solve(const std::vector<float>& scales, std::span<const double> v,
             std::span<double> x) const;

 private:
  /// A triangle on its way through the steps.
  struct Sweep {
    hpcx::Triangle triangle = hpcx::Triangle::Lower;
    /// Behind the products for blocks from the next step of this process column on.
    hpcx::Event later{};
  };
  void step(std::int64_t k, Sweep& sweep, float scale) const;
  /// Rows that the blocks of step `g` are subtracted from.
  struct RowsToUpdate {
    RowRange soon;   ///< before the next step of this process column
    RowRange later;  ///< all others
  };
  RowsToUpdate rows_to_update(const StepGeometry& g, hpcx::Triangle triangle) const;
  /// Sums some elements over the process row: its owner gets the sum, all others zeros.
  void bring_together(float* elements, const StepGeometry& g) const;
  /// The owner's solution on its process column. Returns its place.
  const float* pass_down(float* elements, const StepGeometry& g) const;

  const MixedSystem& system_;
  hpcx::StreamRef stream_, later_stream_;
  hpcx::Buffer rest_;   // by local row: what is left of v, then of y
  hpcx::Buffer piece_;  // a solved piece of another process
  hpcx::Buffer local_;  // pinned: rest_ before and after
  hpcx::Buffer host_;   // pinned: a piece
};

/// Factorization and refinement of a system of HPL-MxP, with all memory, connections and library
/// handles of theirs: they are there before the clock runs.
class MixedFactorization {
 public:
  /// Collective over the grid.
  MixedFactorization(MixedSystem& system, const PanelColumn& panel_column,
                     const FactorizationContext& context)
      : system_(system),
        stages_(system, panel_column, context),
        factors_(system),
        vectors_(system.device.allocate_pinned(
            static_cast<std::size_t>(vector_bytes(system.shape, *system.spec.mixed)))) {}

  /// Device memory that it and its system allocate. Pure.
  static MemoryAccount memory(const LocalShape& shape, const MixedSpec& spec,
                              const PipelineSettings& settings, bool shares_host_memory);

  /// Collective over the grid, as the next.
  void factorize() { stages_.factorize_all(); }
  /// After a factorization to its end, without a zero pivot. Returns x, distributed as vectors of
  /// the system. The times of `refinement` are left to others.
  std::vector<double> refine(Refinement& refinement) const;

  const MixedStages& stages() const { return stages_; }

 private:
  static std::int64_t vector_bytes(const LocalShape& shape, const MixedSpec& spec);

  MixedSystem& system_;
  MixedStages stages_;
  MixedFactors factors_;
  hpcx::Buffer vectors_;  // pinned: the workspace of refine()
};

}  // namespace hpl
