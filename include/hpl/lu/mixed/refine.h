#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "hpl/base/result/verification.h"
#include "hpl/input/run_spec/mixed_spec.h"

namespace hpl {

/// A system with an approximate solver. Vectors have all elements, on every rank.
struct RefinementProblem {
  using Map = std::function<std::vector<double>(const std::vector<double>&)>;

  const std::vector<double>& right_side;
  double matrix_norm = 0;  ///< ||A||_oo, or less
  Map product;             ///< A x
  Map approximate;         ///< about A^-1 v, for v of any magnitude
  /// The value that all ranks go by; decisions follow it. Collective.
  std::function<double(double)> agreed = [](double value) { return value; };
};

/// The scaled residual at which refinement ends: a sixteenth of what the rules ask for.
inline constexpr double kRefinementTolerance = 1;
/// Iterations of GMRES between two residuals b - A x: more vectors would be kept than converging
/// runs need.
inline constexpr int kGmresRestart = 25;

/// Solves the system in FP64 with at most kMostRefinements iterations. Sets iterations, history and
/// converged of `refinement`; in between two residuals b - A x, GMRES estimates the history from
/// its own norms. Returns x. Collective over the ranks of the maps.
std::vector<double> refine(MixedSolver solver, const RefinementProblem& problem,
                           Refinement& refinement);

}  // namespace hpl
