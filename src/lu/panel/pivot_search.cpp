#include "pivot_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpl {

PivotCandidate find_pivot(const double* column, std::int64_t count) {
  // Lanes of their own, since a single running maximum would be one long dependency chain.
  constexpr std::int64_t kLanes = 16;
  double lane[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::int64_t l = 0; l < kLanes; ++l) {
      const double magnitude = std::abs(column[i + l]);
      lane[l] = magnitude > lane[l] ? magnitude : lane[l];
    }
  double largest = 0;
  for (; i < count; ++i)
    if (std::abs(column[i]) > largest) largest = std::abs(column[i]);
  for (const double value : lane)
    largest = std::max(largest, value);
  if (!(largest > 0)) return {};
  for (i = 0; std::abs(column[i]) != largest; ++i) {
  }
  return {largest, i};
}

void scale(double* column, std::int64_t count, double pivot) {
  if (std::abs(pivot) >= std::numeric_limits<double>::min()) {
    const double reciprocal = 1.0 / pivot;
    for (std::int64_t i = 0; i < count; ++i)
      column[i] *= reciprocal;
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      column[i] /= pivot;
  }
}

}  // namespace hpl
