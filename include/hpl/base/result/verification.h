#pragma once

#include <cstdint>
#include <vector>

namespace hpl {

class Record;

/// Rows of b - A x that were made once more, without the device and its BLAS (own_product.h).
struct SampledRows {
  std::int64_t rows = 0;       ///< that were compared
  std::int64_t wrong = 0;      ///< of these, further apart than rounding allows
  std::int64_t first_row = 0;  ///< the first wrong one, global; its two values and the bound:
  double residual = 0, own = 0, tolerance = 0;
};

/// The scaled residual and what it is made of (netlib HPL_pdtest.c).
struct Residual {
  double scaled = 0;  ///< ||Ax-b||_oo / (eps (||A||_oo ||x||_oo + ||b||_oo) N)
  double residual_infinity = 0;
  double matrix_infinity = 0, matrix_one = 0;
  double solution_infinity = 0, solution_one = 0;
  double right_side_infinity = 0;
  SampledRows samples{};  ///< if they are wrong, the larger values are part of the norm
  /// scaled < threshold; false when anything is NaN or infinite, or a sampled row is wrong
  bool passed = false;
};
/// Whether a residual is below its threshold. A residual that is not finite is not, whatever its
/// flag says.
bool residual_passed(const Residual& residual);
void describe(Record& record, Residual& residual);

/// Sums of rows that do not agree with the rows: something was computed or kept wrong on a rank.
struct ChecksumFault {
  int rank = 0;
  std::int64_t first_step = 0, last_step = -1;  ///< it arose in one of these
  std::int64_t rows = 0;                        ///< that do not agree
  std::int64_t first_row = 0;                   ///< global
  double difference = 0;                        ///< the largest; may be infinite or NaN
  double tolerance = 0;                         ///< the rounding bound
};

/// The result of a run's checksums (StepChecksums).
struct ChecksumResult {
  std::int64_t interval = 1;  ///< steps between comparisons
  /// Comparisons of a rank's sums: the fewest of all ranks that have rows below a panel. With 0
  /// nothing was shown.
  std::int64_t comparisons = 0;
  bool repeated = false;  ///< seen when the factorization was repeated because the residual failed
  std::vector<ChecksumFault> faults;  ///< of ranks, the earliest first; empty: none disagree
};
void describe(Record& record, ChecksumResult& checksums);

}  // namespace hpl
