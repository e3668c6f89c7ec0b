#include "gemm/plan/block_order.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace hpl::gemm {
namespace {

TEST(BlockOrder, HasEveryBlockOnceAndUnitAfterUnit) {
  for (const UnitGrid grid :
       {UnitGrid{1, 1, 1, 1}, {5, 7, 2, 3}, {7, 2, 3, 3}, {4, 4, 4, 4}, {2, 9, 2, 9}})
    for (const bool snake : {false, true}) {
      std::set<std::pair<std::int64_t, std::int64_t>> seen;
      std::int64_t unit = 0;
      for (const BlockPosition& block : block_order(grid, snake)) {
        EXPECT_TRUE(seen.insert({block.row, block.col}).second);
        EXPECT_GE(block.unit, unit);
        unit = block.unit;
      }
      EXPECT_EQ(static_cast<std::int64_t>(seen.size()), grid.block_rows * grid.block_cols);
      EXPECT_EQ(unit, grid.down() * grid.across() - 1);
    }
}

TEST(BlockOrder, OfASnakeSharesAStripBetweenNeighbouringUnits) {
  const UnitGrid grid{6, 9, 2, 3};
  std::pair<std::int64_t, std::int64_t> before{0, 0};
  for (const BlockPosition& block : block_order(grid, true)) {
    const std::pair unit{block.row / 2, block.col / 3};
    EXPECT_LE(std::abs(unit.first - before.first) + std::abs(unit.second - before.second), 1);
    before = unit;
  }
}

TEST(BlockOrder, GrowsAsASquareWhereBothStripsAreNew) {
  const auto order = block_order({4, 4, 4, 4}, true);
  for (std::int64_t t = 1; t <= 4; ++t)
    for (std::int64_t i = 0; i < t * t; ++i) {
      EXPECT_LT(order[static_cast<std::size_t>(i)].row, t) << i;
      EXPECT_LT(order[static_cast<std::size_t>(i)].col, t) << i;
    }
}

TEST(BlockOrder, FinishesARowOfANewStripBeforeItNeedsTheNext) {
  // Units of 2 x 2; the third of the snake stands below the second and has a new strip of A.
  const auto order = block_order({4, 4, 2, 2}, true);
  EXPECT_EQ(order[4], (BlockPosition{0, 2, 1}));  // a new strip of B: column by column
  EXPECT_EQ(order[5], (BlockPosition{1, 2, 1}));
  EXPECT_EQ(order[8], (BlockPosition{2, 2, 2}));  // a new strip of A: row by row
  EXPECT_EQ(order[9], (BlockPosition{2, 3, 2}));
}

}  // namespace
}  // namespace hpl::gemm
