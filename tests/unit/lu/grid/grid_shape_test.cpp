#include "hpl/lu/grid/grid_shape.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

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
  // Not 32 x 32: a process column stays inside a node.
  EXPECT_EQ(choose_grid(1024, ProcessorKind::Gpu, 128), (GridShape{.rows = 8, .columns = 128}));
  EXPECT_EQ(choose_grid(36, ProcessorKind::Gpu, 6), (GridShape{.rows = 6, .columns = 6}));
  EXPECT_EQ(choose_grid(4, ProcessorKind::Cpu, 2), (GridShape{.rows = 1, .columns = 4}));
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
