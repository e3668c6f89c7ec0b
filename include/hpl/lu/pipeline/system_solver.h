#pragma once

#include "hpl/lu/pipeline/stages.h"
#include "hpl/lu/solve/back_substitution.h"

namespace hpl {

/// Factorization and back substitution of a system, with all memory, connections and library
/// handles of theirs: they are there before the clock runs.
class SystemSolver {
 public:
  /// Collective over the grid.
  SystemSolver(LinearSystem& system, const FactorizationContext& context,
               const SubstitutionPolicy& substitution = {});

  /// Collective over the grid, as the next.
  void factorize() { stages_.factorize_all(); }
  /// After a factorization to its end, without a zero pivot.
  void substitute() { substitution_.run(); }

  const Stages& stages() const { return stages_; }

 private:
  hpcx::Stream host_;
  BackSubstitution substitution_;
  Stages stages_;
};

}  // namespace hpl
