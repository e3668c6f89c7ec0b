#include "hpl/base/number/benchmark_formulas.h"

#include <limits>

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(BenchmarkFlops, CreditsTwoThirdsOfTheCubeAndThreeHalvesOfTheSquare) {
  EXPECT_DOUBLE_EQ(benchmark_flops(3), 18.0 + 13.5);
  EXPECT_EQ(benchmark_flops(0), 0.0);
}

TEST(BenchmarkFlops, DoesNotOverflowForOrdersOfMillions) {
  EXPECT_NEAR(benchmark_flops(20'000'000) / 5.3333339333333e21, 1.0, 1e-12);
}

TEST(BenchmarkGflops, IsFlopsPerNanosecond) {
  EXPECT_NEAR(benchmark_gflops(1000, 2.5), benchmark_flops(1000) / 2.5e9, 1e-15);
}

TEST(BenchmarkGflops, IsZeroWhenNothingWasSolvedOrTimed) {
  EXPECT_EQ(benchmark_gflops(0, 1.0), 0.0);
  EXPECT_EQ(benchmark_gflops(100, 0.0), 0.0);
  EXPECT_EQ(benchmark_gflops(100, std::numeric_limits<double>::quiet_NaN()), 0.0);
}

TEST(StepsUntil, AreTheFewestThatReachTheFraction) {
  // Of order 1000 and NB 100: half of the columns are 7/8 of the operations.
  EXPECT_EQ(steps_until(1000, 100, 0.875), 5);
  EXPECT_EQ(steps_until(1000, 100, 0.8751), 6);
  EXPECT_EQ(steps_until(1000, 100, 1e-9), 1);
  EXPECT_EQ(steps_until(1000, 100, 1 - 1e-12), 10);
}

TEST(StepsUntil, OfASystemSmallerThanABlockIsOne) {
  EXPECT_EQ(steps_until(5, 100, 0.5), 1);
  EXPECT_EQ(steps_until(0, 100, 0.5), 1);
}

TEST(StepsUntil, ReachTheFractionWhateverTheSizes) {
  for (const std::int64_t order : {37, 1000, 12345})
    for (const std::int64_t block : {1, 7, 192})
      for (const double fraction : {0.01, 0.3, 0.99}) {
        const std::int64_t steps = steps_until(order, block, fraction);
        const double wanted = fraction * factorization_flops(order, order);
        EXPECT_GE(factorization_flops(order, steps * block), wanted);
        if (steps == 1) continue;
        EXPECT_LT(factorization_flops(order, (steps - 1) * block), wanted);
      }
}

}  // namespace
}  // namespace hpl
