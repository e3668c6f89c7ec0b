#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace hpl::test {

/// Pivots of a panel of `width` columns whose first row is `first`: row first + c is exchanged with
/// a row of [first + c, order).
inline std::vector<std::int64_t> random_pivots(std::int64_t order, std::int64_t first,
                                               std::int64_t width, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<std::int64_t> pivots;
  for (std::int64_t c = 0; c < width; ++c)
    pivots.push_back(std::uniform_int_distribution<std::int64_t>(first + c, order - 1)(engine));
  return pivots;
}

/// original[r]: the row that stands in row r after the exchanges, one by one.
inline std::vector<std::int64_t> exchange_one_by_one(std::int64_t order, std::int64_t first,
                                                     const std::vector<std::int64_t>& pivots) {
  std::vector<std::int64_t> original(static_cast<std::size_t>(order));
  for (std::int64_t r = 0; r < order; ++r)
    original[r] = r;
  for (std::int64_t c = 0; c < std::ssize(pivots); ++c)
    std::swap(original[first + c], original[pivots[c]]);
  return original;
}

}  // namespace hpl::test
