#pragma once

#include <cstdint>

namespace hpl {

/// The beginning of a factorization of order N, and a whole one of a smaller order: the last steps
/// of a factorization are a smaller one.
struct HeadAndTail {
  std::int64_t order = 0;         ///< N
  std::int64_t columns_done = 0;  ///< of the beginning
  double head_seconds = 0;
  std::int64_t tail_order = 0;  ///< 0: there is none
  double tail_seconds = 0;
};

/// Seconds of a whole run of order N. A run of order n takes a n^3 + b n^2, products and what goes
/// along the border of the tail, and both parts together tell a and b. Where they contradict that
/// (a or b below 0, by noise), what neither has measured runs at the rate of the beginning.
double whole_run_seconds(const HeadAndTail& parts);

}  // namespace hpl
