#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hpl/base/result/verification.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/input/run_spec/mixed_spec.h"

namespace hpl {

/// A system with an approximate solver. Vectors are cut into parts, and each rank has one part of
/// all of them, of the same length.
struct RefinementProblem {
  using Map = std::function<void(std::span<const double> from, std::span<double> to)>;

  std::int64_t order = 0;
  std::span<const double> right_side;
  double matrix_norm = 0;  ///< ||A||_oo, or less
  Map product;             ///< to := A from
  Map approximate;         ///< to := about A^-1 from, which has any magnitude
  /// A number of whole vectors, made of those of their parts. Collective.
  std::function<double(double, mpi::Reduce)> over_parts = [](double value, mpi::Reduce) {
    return value;
  };
  /// The value that all ranks go by; decisions follow it. Collective.
  std::function<double(double)> agreed = [](double value) { return value; };
};

/// The scaled residual at which refinement ends: a sixteenth of what the rules ask for.
inline constexpr double kRefinementTolerance = 1;
/// Iterations of GMRES between two residuals b - A x: more vectors would be kept than converging
/// runs need.
inline constexpr int kGmresRestart = 25;

/// The number of vectors that refine() works in: x, the next x and b - A x. GMRES has its basis,
/// with one vector more than it has iterations, and the solution for each vector but the last.
constexpr std::int64_t refinement_vectors(MixedSolver solver) {
  return solver == MixedSolver::Gmres ? 3 + 2 * kGmresRestart + 1 : 3;
}

/// Solves the system in FP64 with at most kMostRefinements iterations. Sets iterations, history and
/// converged of `refinement`; in between two residuals b - A x, GMRES estimates the history from
/// its own norms. Returns this rank's part of x. `workspace`: refinement_vectors() parts.
/// Collective over the ranks of the maps.
std::vector<double> refine(MixedSolver solver, const RefinementProblem& problem,
                           std::span<double> workspace, Refinement& refinement);

}  // namespace hpl
