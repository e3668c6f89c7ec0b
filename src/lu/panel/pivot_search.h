#pragma once

#include <cstdint>

namespace hpl {

/// The entry of largest magnitude of a column.
struct PivotCandidate {
  double magnitude = 0;    ///< 0 when all entries are 0 or NaN, or there is none
  std::int64_t index = 0;  ///< the first one of that magnitude
};

/// Searches `count` contiguous entries. NaN never wins: it shows in the residual instead.
PivotCandidate find_pivot(const double* column, std::int64_t count);

/// column := column / pivot, by the reciprocal where that does not overflow.
void scale(double* column, std::int64_t count, double pivot);

}  // namespace hpl
