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
