#pragma once

#include <cstdint>
#include <vector>

namespace hpl {

/// The scaled residual and what it is made of (netlib HPL_pdtest.c).
struct Residual {
  double scaled = 0;  ///< ||Ax-b||_oo / (eps (||A||_oo ||x||_oo + ||b||_oo) N)
  double residual_infinity = 0;
  double matrix_infinity = 0, matrix_one = 0;
  double solution_infinity = 0, solution_one = 0;
  double right_side_infinity = 0;
  bool passed = false;  ///< scaled < threshold; false when anything is NaN or infinite
};

/// Sums of rows that do not agree with the rows: something was computed or kept wrong on a rank.
struct ChecksumFault {
  int rank = 0;
  std::int64_t first_step = 0, last_step = -1;  ///< it arose in one of these
  std::int64_t rows = 0;                        ///< that do not agree
  std::int64_t first_row = 0;                   ///< global
  double difference = 0;                        ///< the largest; may be infinite or NaN
  double tolerance = 0;                         ///< what rounding may do
};

/// What the checksums of a run showed (StepChecksums).
struct ChecksumResult {
  std::int64_t interval = 1;  ///< steps between comparisons
  bool repeated = false;  ///< seen when the factorization was repeated because the residual failed
  std::vector<ChecksumFault> faults;  ///< of ranks, the earliest first; empty: all sums agree
};

}  // namespace hpl
