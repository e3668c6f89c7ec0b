#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/swap/row_exchange_plan.h"
#include "support/random_pivots.h"

namespace hpl {
namespace {

/// The permutation's place for every row of the matrix, in the form of exchange_one_by_one().
std::vector<std::int64_t> apply(const RowPermutation& permutation, std::int64_t order,
                                std::int64_t first) {
  std::vector<std::int64_t> original(static_cast<std::size_t>(order));
  for (std::int64_t r = 0; r < order; ++r)
    original[r] = r;
  for (std::int64_t t = 0; t < std::ssize(permutation.source); ++t)
    original[first + t] = permutation.source[t].value;
  for (std::size_t i = 0; i < permutation.top.size(); ++i)
    original[permutation.to[i].value] = first + permutation.top[i];
  return original;
}

TEST(PermutationOf, RandomPivotsIsWhatSingleExchangesDo) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const std::int64_t order = 1 + seed % 60;
    const std::int64_t first = seed % 7 * order / 10;
    const std::int64_t width = std::min<std::int64_t>(order - first, 1 + seed % 17);
    const auto pivots = test::random_pivots(order, first, width, seed);
    const RowPermutation permutation = permutation_of(pivots, first);
    ASSERT_EQ(permutation.top.size(), permutation.to.size());
    EXPECT_EQ(apply(permutation, order, first), test::exchange_one_by_one(order, first, pivots))
        << "seed " << seed;
  }
}

TEST(PermutationOf, PivotsInPlaceMovesNothing) {
  const std::vector<std::int64_t> pivots{5, 6, 7};
  const RowPermutation permutation = permutation_of(pivots, 5);
  EXPECT_EQ(permutation.source, (std::vector<GlobalRow>{{5}, {6}, {7}}));
  EXPECT_TRUE(permutation.top.empty());
}

TEST(PermutationOf, ARowUsedTwiceEndsWhereTheLastExchangePutsIt) {
  // Row 9 takes row 0, then gives it to row 1 and takes what stood there.
  const std::vector<std::int64_t> pivots{9, 9};
  const RowPermutation permutation = permutation_of(pivots, 0);
  EXPECT_EQ(permutation.source, (std::vector<GlobalRow>{{9}, {0}}));
  EXPECT_EQ(permutation.top, std::vector<std::int64_t>{1});
  EXPECT_EQ(permutation.to, std::vector<GlobalRow>{{9}});
}

TEST(PermutationOf, NoPivotsIsEmpty) {
  const RowPermutation permutation = permutation_of({}, 3);
  EXPECT_TRUE(permutation.source.empty());
  EXPECT_TRUE(permutation.to.empty());
}

}  // namespace
}  // namespace hpl
