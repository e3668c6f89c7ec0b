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

}  // namespace
}  // namespace hpl
