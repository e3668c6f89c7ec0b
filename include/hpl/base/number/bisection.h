#pragma once

#include <cstdint>

namespace hpl {

/// Largest multiple of `step` (> 0) in [0, limit] that passes a test which holds up to some point
/// and not beyond; 0 is taken to pass.
template <typename Test>
std::int64_t largest_multiple(std::int64_t step, std::int64_t limit, const Test& passes) {
  std::int64_t low = 0, high = limit / step;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (passes(middle * step))
      low = middle;
    else
      high = middle - 1;
  }
  return low * step;
}

}  // namespace hpl
