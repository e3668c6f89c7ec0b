#include "hpl/host/sizing.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

constexpr std::int64_t kGibi = std::int64_t{1} << 30;

MemoryModel model(GridShape grid, std::int64_t block_size) {
  MemoryModel result;
  result.grid = grid;
  result.block_size = block_size;
  return result;
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

TEST(BlockSize, GrowsWithTheOrderAndFasterOnGpus) {
  EXPECT_EQ(block_size_for(3999, ProcessorKind::Cpu), 128);
  EXPECT_EQ(block_size_for(4000, ProcessorKind::Cpu), 192);
  EXPECT_EQ(block_size_for(100000, ProcessorKind::Gpu), 2048);
  EXPECT_LT(block_size_for(8000, ProcessorKind::Gpu), 1024);
  EXPECT_GE(block_size_for(0, ProcessorKind::Cpu), 1);
}

TEST(MemoryModelBytes, CountsThePaddedLocalMatrixAndTheWorkspaces) {
  auto plain = model({.rows = 1, .columns = 1}, 10);
  plain.chunk_columns = 50;
  plain.fixed_bytes = 1000;
  // 100 x 101 is padded to 112 x 112; two panels of 112 x 10 + 100; three chunks of 10 x 50.
  EXPECT_EQ(bytes_for_order(100, plain), 8 * (112 * 112 + 2 * (1120 + 100) + 3 * 500) + 1000);
}

TEST(MemoryModelBytes, FollowsTheProcessWithTheMostBlocks) {
  auto spread = model({.rows = 2, .columns = 3}, 16);
  spread.fixed_bytes = 0;
  spread.panels = 0;
  spread.chunk_buffers = 0;
  // 5 blocks of rows over 2 processes: 3; 80 + 1 columns are 6 blocks over 3 processes: 2.
  EXPECT_EQ(bytes_for_order(80, spread), 8 * 48 * 32);
}

TEST(MemoryModelBytes, CountsTheColumnOfTheRightSide) {
  auto spread = model({.rows = 1, .columns = 2}, 16);
  spread.fixed_bytes = 0;
  spread.panels = 0;
  spread.chunk_buffers = 0;
  // 64 + 1 columns are 5 blocks over 2 processes: 3.
  EXPECT_EQ(bytes_for_order(64, spread), 8 * 64 * 48);
}

TEST(OrderForMemory, IsTheLargestMultipleThatFits) {
  for (const auto grid : {GridShape{.rows = 1, .columns = 1}, GridShape{.rows = 2, .columns = 3}}) {
    for (const std::int64_t block_size : {1, 7, 192, 1024}) {
      const auto m = model(grid, block_size);
      const auto order = order_for_memory(12 * kGibi, 0.8, m);
      const auto budget = 0.8 * static_cast<double>(12 * kGibi) / (grid.rows * grid.columns);
      EXPECT_EQ(order % block_size, 0);
      EXPECT_GT(order, 0);
      EXPECT_LE(static_cast<double>(bytes_for_order(order, m)), budget);
      EXPECT_GT(static_cast<double>(bytes_for_order(order + block_size, m)), budget);
    }
  }
}

TEST(OrderForMemory, IsZeroWhenNothingFits) {
  EXPECT_EQ(order_for_memory(1000, 0.8, model({}, 192)), 0);
  EXPECT_EQ(order_for_memory(0, 0.8, model({}, 192)), 0);
  EXPECT_EQ(order_for_memory(kGibi, 0.0, model({}, 192)), 0);
}

TEST(OrderForMemory, HoldsBeyondTwoToTheThirtyOneLocalElements) {
  const auto order = order_for_memory(std::int64_t{40000} * 1024 * kGibi, 0.9,
                                      model({.rows = 200, .columns = 200}, 192));
  EXPECT_GT(order, 60'000'000);
}

TEST(Estimate, FollowsTheCreditedOperations) {
  // 2/3 1e12 + 3/2 1e8 operations at 100 Gflop/s.
  EXPECT_NEAR(estimated_seconds(10000, 100.0), 6.668166666, 1e-6);
}

TEST(OrderForSeconds, IsTheLargestMultipleThatEndsInTime) {
  const auto order = order_for_seconds(140.0, 75.0, 192);
  EXPECT_EQ(order % 192, 0);
  EXPECT_LE(estimated_seconds(order, 140.0), 75.0);
  EXPECT_GT(estimated_seconds(order + 192, 140.0), 75.0);
}

TEST(OrderForSeconds, IsAtLeastOneBlock) {
  EXPECT_EQ(order_for_seconds(1e-6, 1.0, 192), 192);
}

TEST(AutomaticOrder, TakesTheSmallerOfMemoryAndTime) {
  AutomaticSize wish;
  wish.model = model({.rows = 1, .columns = 2}, 192);
  wish.bytes_total = 24 * kGibi;
  wish.gflops = 140;
  EXPECT_EQ(automatic_order(wish), order_for_seconds(140, wish.seconds, 192));
  wish.bytes_total = kGibi;
  EXPECT_EQ(automatic_order(wish), order_for_memory(kGibi, kDefaultMemoryFraction, wish.model));
}

TEST(AutomaticOrder, AFractionFromTheUserOutweighsTheTime) {
  AutomaticSize wish;
  wish.model = model({.rows = 1, .columns = 2}, 192);
  wish.bytes_total = 24 * kGibi;
  wish.gflops = 140;
  wish.memory_fraction = 0.9;
  EXPECT_EQ(automatic_order(wish), order_for_memory(24 * kGibi, 0.9, wish.model));
}

}  // namespace
}  // namespace hpl
