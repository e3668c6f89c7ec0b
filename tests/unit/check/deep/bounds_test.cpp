#include "check/deep/bounds.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

constexpr RateCeilings kRates{.flops = 1e12, .bytes = 1e11};

TEST(BoundedBy, WhatTakesHalfOfItsRateOrMore) {
  const BoundedBy compute = bounded_by(8e11, 1e10, 1, kRates);
  EXPECT_EQ(compute.bound, Bound::Compute);
  EXPECT_DOUBLE_EQ(compute.share, 0.8);
  const BoundedBy memory = bounded_by(1e11, 7e10, 1, kRates);
  EXPECT_EQ(memory.bound, Bound::Memory);
  EXPECT_DOUBLE_EQ(memory.share, 0.7);
  // The larger share of the two, where both are large.
  EXPECT_EQ(bounded_by(6e11, 9e10, 1, kRates).bound, Bound::Memory);
  EXPECT_EQ(bounded_by(9e11, 6e10, 1, kRates).bound, Bound::Compute);
}

TEST(BoundedBy, LatencyWhereNeitherIsBusy) {
  const BoundedBy idle = bounded_by(1e10, 2e10, 1, kRates);
  EXPECT_EQ(idle.bound, Bound::Latency);
  EXPECT_DOUBLE_EQ(idle.share, 0.2);
}

TEST(BoundedBy, CachesWhereMoreBytesCameThanTheMemoryDelivers) {
  EXPECT_EQ(bounded_by(3e11, 5e11, 1, kRates).bound, Bound::Caches);
  // Unless the arithmetic is what is busy.
  EXPECT_EQ(bounded_by(1e12, 5e11, 1, kRates).bound, Bound::Compute);
}

TEST(BoundedBy, NothingIsSaidWithoutRates) {
  EXPECT_EQ(bounded_by(1, 1, 1, {}).bound, std::nullopt);
  EXPECT_EQ(bounded_by(1, 1, 0, kRates).bound, std::nullopt);
}

TEST(ProductBytes, FallWithTheSizeOfBlocksToThoseOfTheThreeMatrices) {
  using hpcx::LadderKind;
  const double least = product_bytes({LadderKind::Library, 0}, 1024, 8);
  EXPECT_DOUBLE_EQ(least, 3.0 * 1024 * 1024 * 8);
  const auto blocked = [](int block) {
    return product_bytes({LadderKind::Blocked, block}, 1024, 8);
  };
  EXPECT_DOUBLE_EQ(blocked(16) - least, 2 * (blocked(32) - least));
  EXPECT_GT(product_bytes({LadderKind::Loops, 0}, 1024, 8), blocked(16));
  EXPECT_GT(blocked(256), least);
  EXPECT_DOUBLE_EQ(product_bytes({LadderKind::Elements, 8}, 1024, 4),
                   product_bytes({LadderKind::Elements, 8}, 1024, 8) / 2);
  EXPECT_LT(product_bytes({LadderKind::Tiles, 2}, 1024, 8),
            product_bytes({LadderKind::Elements, 32}, 1024, 8));
}

TEST(Rungs, HaveNames) {
  EXPECT_EQ(rung_key({hpcx::LadderKind::Blocked, 64}), "blocked_64");
  EXPECT_EQ(rung_label({hpcx::LadderKind::Tiles, 1}), "tiles, stages: 1");
  EXPECT_EQ(rung_label({hpcx::LadderKind::Elements, 16}), "a thread an element, 16 x 16");
}

}  // namespace
}  // namespace hpl
