#include "check/deep/latency.h"

#include <set>

#include <gtest/gtest.h>

namespace hpl {
namespace {

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

}  // namespace
}  // namespace hpl
