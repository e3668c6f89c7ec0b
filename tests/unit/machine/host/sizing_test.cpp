#include "hpl/machine/host/sizing.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(BlockSize, GrowsWithTheOrderAndFasterOnGpus) {
  EXPECT_EQ(block_size_for(3999, ProcessorKind::Cpu), 128);
  EXPECT_EQ(block_size_for(4000, ProcessorKind::Cpu), 192);
  EXPECT_EQ(block_size_for(100000, ProcessorKind::Gpu), 2048);
  EXPECT_EQ(block_size_for(100000, ProcessorKind::Gpu, Products::Emulated), 4096);
  EXPECT_EQ(block_size_for(100000, ProcessorKind::Cpu, Products::Emulated), 192);
  EXPECT_EQ(block_size_for(131071, ProcessorKind::Gpu, Products::Mixed), 2048);
  EXPECT_EQ(block_size_for(131072, ProcessorKind::Gpu, Products::Mixed), 4096);
  EXPECT_EQ(block_size_for(16384, ProcessorKind::Gpu), 1024);
  EXPECT_EQ(block_size_for(8000, ProcessorKind::Gpu), 512);
  EXPECT_GE(block_size_for(0, ProcessorKind::Cpu), 1);
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

}  // namespace
}  // namespace hpl
