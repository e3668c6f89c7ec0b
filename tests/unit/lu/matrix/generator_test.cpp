#include "hpcx/generator.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace hpcx::generator {
namespace {

TEST(Generator, JumpsWhereSingleStepsLead) {
  std::uint64_t x = kSeed;
  for (std::uint64_t steps = 0; steps < 70000; ++steps) {
    if (steps % 997 == 0 || steps < 70) {
      ASSERT_EQ(jump(steps)(kSeed), x) << steps << " steps";
    }
    x = kMultiplier * x + kIncrement;
  }
}

TEST(Generator, TwoJumpsAreOneOfTheirSum) {
  const std::uint64_t counts[] = {0,
                                  1,
                                  12345,
                                  std::uint64_t{1} << 31,
                                  4'000'000'000'001u,
                                  std::uint64_t{1} << 63,
                                  ~std::uint64_t{0}};
  for (const std::uint64_t a : counts) {
    for (const std::uint64_t b : counts) {
      const Jump both = jump(a).then(jump(b)), sum = jump(a + b);
      EXPECT_EQ(both.multiplier, sum.multiplier) << a << " then " << b;
      EXPECT_EQ(both.increment, sum.increment) << a << " then " << b;
    }
  }
}

TEST(Generator, NumbersTheElementsOfAHugeMatrixByColumns) {
  constexpr std::uint64_t kOrder = 2'000'000;
  const std::uint64_t last_of_column = state_of(kOrder, kOrder - 1, kOrder - 1);
  EXPECT_EQ(jump(1)(last_of_column), state_of(kOrder, 0, kOrder));
  EXPECT_EQ(jump(kOrder)(last_of_column), state_of(kOrder, kOrder - 1, kOrder));
}

TEST(Generator, RoundsTheStateBeforeItSubtracts) {
  // 2^64 - 1 becomes 2^64: the value is -0.5 and not the next larger double.
  EXPECT_EQ(value(~std::uint64_t{0}), -0.5);
  EXPECT_EQ(value(0), 0.5);
}

TEST(Generator, GivesNetlibsElementsOfOrderThirtySeven) {
  const auto element = [](std::uint64_t i, std::uint64_t j) { return value(state_of(37, i, j)); };
  EXPECT_EQ(element(0, 0), -5.1599441937666413e-05);
  EXPECT_EQ(element(1, 0), 0.38413122531282284);
  EXPECT_EQ(element(2, 0), 0.44368366759894268);
  EXPECT_EQ(element(36, 37), 0.42540758202037188);
}

}  // namespace
}  // namespace hpcx::generator
