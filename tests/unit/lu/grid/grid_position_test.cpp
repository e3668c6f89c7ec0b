#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "hpl/lu/grid/process_grid.h"

namespace hpl {
namespace {

TEST(GridPosition, RowMajorFillsARowFirst) {
  const GridPosition position = grid_position(4, 2, 3, RankOrder::RowMajor);
  EXPECT_EQ(position.row, 1);
  EXPECT_EQ(position.column, 1);
}

TEST(GridPosition, ColumnMajorFillsAColumnFirst) {
  const GridPosition position = grid_position(4, 2, 3, RankOrder::ColumnMajor);
  EXPECT_EQ(position.row, 0);
  EXPECT_EQ(position.column, 2);
}

TEST(GridPosition, GivesEveryRankAPlaceOfItsOwn) {
  for (const RankOrder order : {RankOrder::RowMajor, RankOrder::ColumnMajor}) {
    std::set<std::pair<int, int>> places;
    for (int rank = 0; rank < 35; ++rank) {
      const GridPosition position = grid_position(rank, 5, 7, order);
      EXPECT_TRUE(position.row >= 0 && position.row < 5);
      EXPECT_TRUE(position.column >= 0 && position.column < 7);
      EXPECT_EQ(rank_at(position, 5, 7, order), rank);
      places.emplace(position.row, position.column);
    }
    EXPECT_EQ(places.size(), 35u);
  }
}

}  // namespace
}  // namespace hpl
