#pragma once

#include <vector>

namespace hpl {

class Record;

/// The most iterations of a valid run of HPL-MxP.
inline constexpr int kMostRefinements = 50;

/// The refinement of an HPL-MxP run, and the time of its two parts. RunResult::seconds is their
/// sum.
struct Refinement {
  double factorization_seconds = 0;
  double refinement_seconds = 0;
  double factorization_gflops = 0;  ///< 2/3 N^3 / factorization_seconds
  int iterations = 0;               ///< each with one product by A and one solution by the factors
  /// Scaled residuals after each iteration, the first of which is the solution by the factors.
  std::vector<double> history;
  /// It ended before kMostRefinements, with a scaled residual below the tolerance.
  bool converged = false;
  int scale_exponent = 0;  ///< the stored matrix is 2^it times A
};
void describe(Record& record, Refinement& refinement);

}  // namespace hpl
