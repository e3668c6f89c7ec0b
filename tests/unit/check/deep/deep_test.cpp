#include "check/deep/bounds.h"

#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "check/deep/latency.h"
#include "check/deep/product_oracle.h"
#include "check/deep/tall_skinny.h"
#include "support/cpu_device.h"

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

TEST(CacheSteps, EndWhereLatencyRises) {
  const std::vector<ChasePoint> points{{8, 1.2},   {16, 1.2},   {32, 1.25}, {64, 3.6},  {128, 3.7},
                                       {256, 3.9}, {512, 9},    {1024, 14}, {2048, 15}, {4096, 16},
                                       {8192, 60}, {16384, 85}, {32768, 88}};
  const std::vector<CacheStep> steps = cache_steps(points);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].bytes, 32);
  EXPECT_EQ(steps[1].bytes, 256);
  EXPECT_EQ(steps[2].bytes, 4096);
  EXPECT_DOUBLE_EQ(steps[2].nanoseconds, 16);
}

TEST(CacheSteps, AreNoneWhereLatencyStaysOrThereIsNothing) {
  EXPECT_TRUE(cache_steps({}).empty());
  EXPECT_TRUE(cache_steps(std::vector<ChasePoint>{{8, 1}}).empty());
  EXPECT_TRUE(cache_steps(std::vector<ChasePoint>{{8, 1}, {16, 1.1}, {32, 1.2}}).empty());
}

TEST(RandomCycle, PassesEveryLineOnceAndReturns) {
  for (const std::uint32_t lines : {1U, 2U, 7U, 1000U}) {
    const std::vector<std::uint32_t> next = random_cycle(lines, 5);
    std::set<std::uint32_t> seen;
    std::uint32_t at = 0;
    for (std::uint32_t i = 0; i < lines; ++i) {
      EXPECT_TRUE(seen.insert(at).second);
      at = next[at];
    }
    EXPECT_EQ(at, 0U);
    EXPECT_EQ(seen.size(), lines);
  }
}

template <class T>
std::vector<T> random_values(std::int64_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values)
    value = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
  return values;
}

template <class T>
class ProductOracleOf : public testing::Test {
 protected:
  static constexpr std::int64_t kOrder = 67;

  /// C, summed in T.
  std::vector<T> product() const {
    std::vector<T> c(static_cast<std::size_t>(kOrder * kOrder));
    for (std::int64_t i = 0; i < kOrder; ++i)
      for (std::int64_t j = 0; j < kOrder; ++j) {
        T sum{0};
        for (std::int64_t k = 0; k < kOrder; ++k)
          sum += a_[static_cast<std::size_t>(i * kOrder + k)] *
                 b_[static_cast<std::size_t>(k * kOrder + j)];
        c[static_cast<std::size_t>(i * kOrder + j)] = sum;
      }
    return c;
  }

  std::unique_ptr<hpcx::Device> host_ = test::open_cpu(1);
  std::vector<T> a_ = random_values<T>(kOrder * kOrder, 1),
                 b_ = random_values<T>(kOrder * kOrder, 2);
  ProductOracle<T> oracle_{*host_, kOrder, a_.data(), b_.data()};
};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(ProductOracleOf, Precisions);

TYPED_TEST(ProductOracleOf, AcceptsTheProductWithItsRounding) {
  const double ratio = this->oracle_.worst_ratio(this->product().data());
  EXPECT_LE(ratio, 1);
  EXPECT_GT(ratio, 0);
}

TYPED_TEST(ProductOracleOf, SeesOneWrongElementAndOneThatIsNoNumber) {
  std::vector<TypeParam> c = this->product();
  c[1234] += static_cast<TypeParam>(0.01);
  EXPECT_GT(this->oracle_.worst_ratio(c.data()), 1);
  c[1234] = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_TRUE(std::isinf(this->oracle_.worst_ratio(c.data())));
}

TYPED_TEST(ProductOracleOf, SeesTwoColumnsThatChangedPlaces) {
  std::vector<TypeParam> c = this->product();
  for (std::int64_t i = 0; i < this->kOrder; ++i)
    std::swap(c[static_cast<std::size_t>(i * this->kOrder + 5)],
              c[static_cast<std::size_t>(i * this->kOrder + 8)]);
  EXPECT_GT(this->oracle_.worst_ratio(c.data()), 1);
}

TEST(TallSkinnyRatio, AcceptsAnRWhateverItsSignsAndSeesAWrongOne) {
  constexpr std::int64_t kRows = 300, kColumns = 5;
  const std::unique_ptr<hpcx::Device> host = test::open_cpu(1);
  const hpcx::Stream stream = host->create_stream(hpcx::Priority::Normal);
  std::vector<double> a = random_values<double>(kRows * kColumns, 4), r(kColumns * kColumns);
  std::vector<double> work(static_cast<std::size_t>(hpcx::tall_skinny_work(kRows, kColumns)));
  const hpcx::MatrixView a_view{a.data(), kRows, kColumns, kRows};
  const hpcx::MatrixView r_view{r.data(), kColumns, kColumns, kColumns};
  host->ladder()->tall_skinny_r(stream, a_view, work.data(), r_view);
  stream.ref().synchronize();
  EXPECT_LE(tall_skinny_ratio(a_view, r_view), 1);
  for (std::int64_t j = 2; j < kColumns; ++j)
    r_view(2, j) = -r_view(2, j);
  EXPECT_LE(tall_skinny_ratio(a_view, r_view), 1);
  r_view(1, 3) += 1e-6;
  EXPECT_GT(tall_skinny_ratio(a_view, r_view), 1);
  r_view(1, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isinf(tall_skinny_ratio(a_view, r_view)));
}

}  // namespace
}  // namespace hpl
