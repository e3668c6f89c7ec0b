#include "hpl/lu/grid/block_cyclic.h"

#include <cstdint>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "hpl/lu/grid/grid_shape.h"
#include "hpl/lu/grid/process_grid.h"

namespace hpl {
namespace {

using RoundRobin = BlockCyclic<Axis::Row>;

TEST(BlockCyclic, LastPartialBlockBelongsToItsOwner) {
  const BlockCyclic<Axis::Column> map{.extent = 10, .block = 3, .processes = 2, .rank = 1};
  EXPECT_EQ(map.owner({9}), 1);
  EXPECT_EQ(map.to_local({9}).value, 3);
  EXPECT_EQ(map.local_extent(), 4);
}

TEST(BlockCyclic, ProcessesBeyondTheLastBlockHaveNothing) {
  for (int rank = 2; rank < 6; ++rank)
    EXPECT_EQ((RoundRobin{.extent = 14, .block = 7, .processes = 6, .rank = rank}.local_extent()),
              0);
}

TEST(BlockCyclic, CountsPastThirtyTwoBits) {
  constexpr std::int64_t kExtent = 20'000'000'000;
  std::int64_t total = 0;
  for (int rank = 0; rank < 3; ++rank) {
    const RoundRobin map{.extent = kExtent, .block = 384, .processes = 3, .rank = rank};
    total += map.local_extent();
    const LocalRow last{map.local_extent() - 1};
    EXPECT_EQ(map.to_local(map.to_global(last)), last);
    EXPECT_GT(map.to_global(last).value, kExtent - 3 * 384);
    EXPECT_LT(map.to_global(last).value, kExtent);
  }
  EXPECT_EQ(total, kExtent);
}

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

TEST(Grid, UsesAllRanksAndIsNeverTallerThanWide) {
  for (const auto kind : {ProcessorKind::Cpu, ProcessorKind::Gpu}) {
    for (int ranks = 1; ranks <= 200; ++ranks) {
      const auto grid = choose_grid(ranks, kind);
      EXPECT_EQ(grid.rows * grid.columns, ranks);
      EXPECT_LE(grid.rows, grid.columns);
    }
  }
}

TEST(Grid, FewRanksStandInOneRow) {
  EXPECT_EQ(choose_grid(4, ProcessorKind::Cpu), (GridShape{.rows = 1, .columns = 4}));
  EXPECT_EQ(choose_grid(8, ProcessorKind::Gpu), (GridShape{.rows = 1, .columns = 8}));
}

TEST(Grid, ManyRanksStandAsSquareAsPossible) {
  EXPECT_EQ(choose_grid(6, ProcessorKind::Cpu), (GridShape{.rows = 2, .columns = 3}));
  EXPECT_EQ(choose_grid(64, ProcessorKind::Cpu), (GridShape{.rows = 8, .columns = 8}));
  EXPECT_EQ(choose_grid(72, ProcessorKind::Gpu), (GridShape{.rows = 8, .columns = 9}));
  EXPECT_EQ(choose_grid(7, ProcessorKind::Cpu), (GridShape{.rows = 1, .columns = 7}));
}

TEST(Grid, OfGpusOnSeveralNodesIsAsSquareAsPossible) {
  EXPECT_EQ(choose_grid(8, ProcessorKind::Gpu, 2), (GridShape{.rows = 2, .columns = 4}));
  EXPECT_EQ(choose_grid(4, ProcessorKind::Gpu, 2), (GridShape{.rows = 2, .columns = 2}));
  EXPECT_EQ(choose_grid(1024, ProcessorKind::Gpu, 128), (GridShape{.rows = 32, .columns = 32}));
  EXPECT_EQ(choose_grid(8192, ProcessorKind::Gpu, 1024), (GridShape{.rows = 64, .columns = 128}));
  EXPECT_EQ(choose_grid(36, ProcessorKind::Gpu, 6), (GridShape{.rows = 6, .columns = 6}));
  EXPECT_EQ(choose_grid(4, ProcessorKind::Cpu, 2), (GridShape{.rows = 1, .columns = 4}));
}

TEST(GridOfMost, LeavesRanksIdleWhereAllOfThemFormAFlatGrid) {
  const auto chosen = [](int ranks) { return choose_grid_of_most(ranks, ProcessorKind::Gpu, 32); };
  EXPECT_EQ(chosen(251), (GridShape{10, 25}));
  EXPECT_EQ(chosen(47), (GridShape{5, 9}));
  EXPECT_EQ(chosen(26), (GridShape{2, 13}));  // 5 x 5 gains less than a rank
  EXPECT_EQ(chosen(11), (GridShape{1, 11}));
  EXPECT_EQ(chosen(512), (GridShape{16, 32}));
}

TEST(GridsOfFewer, AreFasterThanAFlatGridOfAllAndTheFastestComesFirst) {
  EXPECT_TRUE(grids_of_fewer(1).empty());
  EXPECT_TRUE(grids_of_fewer(15).empty());   // a sixteenth is no rank
  EXPECT_TRUE(grids_of_fewer(512).empty());  // 16 x 32 loses nothing
  const std::vector<GridShape> grids = grids_of_fewer(251);
  ASSERT_GE(grids.size(), 2u);
  EXPECT_EQ(grids[0], (GridShape{10, 25}));
  EXPECT_EQ(grids[1], (GridShape{13, 19}));
  for (const GridShape grid : grids) {
    EXPECT_LT(grid.rows * grid.columns, 251);
    EXPECT_GE(grid.rows * grid.columns, 251 - 251 / 16);
  }
}

TEST(GridOfMost, OfOneNodeUsesAllOfEightGpus) {
  for (int ranks = 1; ranks <= 8; ++ranks)
    EXPECT_EQ(choose_grid_of_most(ranks, ProcessorKind::Gpu), (GridShape{1, ranks}));
}

TEST(GridOfTiles, IsAsSquareAsTheTilesAllow) {
  EXPECT_EQ(choose_grid_of_tiles(4, {2, 2}), (GridShape{4, 4}));
  EXPECT_EQ(choose_grid_of_tiles(4, {4, 1}), (GridShape{4, 4}));
  EXPECT_EQ(choose_grid_of_tiles(2, {2, 2}), (GridShape{2, 4}));
  EXPECT_EQ(choose_grid_of_tiles(6, {1, 1}), (GridShape{2, 3}));
  EXPECT_EQ(choose_grid_of_tiles(1, {1, 8}), (GridShape{1, 8}));
}

TEST(Tile, LetsTheLeastLeaveANodeAndPrefersTallOnes) {
  EXPECT_EQ(choose_tile({4, 4}, 4), (GridShape{4, 1}));
  EXPECT_EQ(choose_tile({8, 8}, 8), (GridShape{8, 1}));
  EXPECT_EQ(choose_tile({8, 8}, 4), (GridShape{4, 1}));
  EXPECT_EQ(choose_tile({8, 16}, 8), (GridShape{8, 1}));
  EXPECT_EQ(choose_tile({2, 4}, 4), (GridShape{2, 2}));
  EXPECT_EQ(choose_tile({1, 8}, 8), (GridShape{1, 8}));
  EXPECT_EQ(choose_tile({4, 6}, 1), (GridShape{1, 1}));
}

TEST(Tile, IsNoneWhereTheRanksOfANodeFitNoPieceOfTheGrid) {
  EXPECT_FALSE(choose_tile({2, 2}, 3));
  EXPECT_FALSE(choose_tile({3, 5}, 2));
}

}  // namespace
}  // namespace hpl
