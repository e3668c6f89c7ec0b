#include "hpl/base/number/benchmark_formulas.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "hpl/base/number/bisection.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/base/number/statistics.h"

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
  // N = 1000, NB = 100: half of the columns are 7/8 of the operations.
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

TEST(LargestMultiple, IsTheLastThatPasses) {
  for (std::int64_t step = 1; step <= 7; ++step)
    for (std::int64_t last = 0; last <= 60; ++last)
      EXPECT_EQ(largest_multiple(step, 50, [&](std::int64_t value) { return value <= last; }),
                std::min<std::int64_t>(last, 50) / step * step);
}

TEST(LargestMultiple, IsZeroWhereNothingPasses) {
  EXPECT_EQ(largest_multiple(5, 1000, [](std::int64_t) { return false; }), 0);
  EXPECT_EQ(largest_multiple(5, 4, [](std::int64_t) { return true; }), 0);
}

TEST(MemoryBytes, OfPinnedMemoryAreTheDevicesWhereBothShareIt) {
  EXPECT_EQ(pinned_bytes(7, true), (MemoryBytes{7, 0}));
  EXPECT_EQ(pinned_bytes(7, false), (MemoryBytes{0, 7}));
  EXPECT_EQ((MemoryBytes{1, 2} + 3 * MemoryBytes{10, 20}), (MemoryBytes{31, 62}));
}

TEST(MemoryAccount, AddsUpPartsOfDifferentNames) {
  MemoryAccount account{.matrix = {1, 0},
                        .panels = {20, 2},
                        .exchange = {300, 0},
                        .product = {3'000, 0},
                        .panel_solver = {1'000, 0},
                        .checksums = {50'000, 5},
                        .solution = {600'000, 6},
                        .staging = {0, 7},
                        .blas_workspace = {8'000'000, 0},
                        .reserve = {90'000'000, 0}};
  EXPECT_EQ(account.total(), (MemoryBytes{98'654'321, 20}));
  EXPECT_EQ(account.allocated(), (MemoryBytes{8'654'321, 20}));
  MemoryBytes sum;
  std::set<std::string_view> names;
  for (const MemoryAccount::Part& part : account.parts()) {
    sum += part.bytes;
    names.insert(part.name);
  }
  EXPECT_EQ(sum, account.total());
  EXPECT_EQ(names.size(), account.parts().size());
  EXPECT_EQ((account + account).total(), 2 * account.total());
}

TEST(BytesText, HasTheUnitThatFits) {
  EXPECT_EQ(bytes_text(149'550'000'000), "149.55 GB");
  EXPECT_EQ(bytes_text(1'000'000'000), "1.00 GB");
  EXPECT_EQ(bytes_text(999'600'000), "1.00 GB");
  EXPECT_EQ(bytes_text(85'000'000), "85 MB");
  EXPECT_EQ(bytes_text(3'140'000), "3.1 MB");
  EXPECT_EQ(bytes_text(9'960'000), "10 MB");
  EXPECT_EQ(bytes_text(24'000), "24 kB");
  EXPECT_EQ(bytes_text(0), "0 kB");
}

TEST(MemoryAccount, IsDescribedByThePartsThatItHas) {
  MemoryAccount account{.matrix = {2'500'000'000, 0}, .panels = {30'000'000, 0}};
  EXPECT_EQ(describe(account), "matrix 2.50 GB, panel workspaces 30 MB");
  account.panels.host = 1'000'000;
  account.staging.host = 4'000'000;
  EXPECT_EQ(describe(account),
            "matrix 2.50 GB, panel workspaces 30 MB; pinned in the host's memory 5.0 MB");
}

TEST(Statistics, OfNothingAreZero) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(mean({}), 0);
  EXPECT_EQ(variance({}), 0);
  EXPECT_EQ(mean_of_later_half({}), 0);
}

TEST(Statistics, MedianIgnoresWhatIsFarOff) {
  EXPECT_EQ(median({3, 1, 1000}), 3);
  EXPECT_EQ(median({4, 1, 2, 1000}), 3);
}

TEST(Statistics, MeanCountsIt) {
  EXPECT_EQ(mean({3, 1, 1000, 4}), 252);
  EXPECT_EQ(mean_of_later_half({100, 1, 2, 3, 4}), 3);
}

TEST(Statistics, VarianceIsThatOfASample) {
  EXPECT_EQ(variance({7}), 0);
  EXPECT_DOUBLE_EQ(variance({1, 3}), 2);
  EXPECT_DOUBLE_EQ(variance({2, 4, 4, 4, 5, 5, 7, 9}), 32.0 / 7);
}

TEST(Statistics, RobustSpreadIsThatOfTheMajority) {
  EXPECT_DOUBLE_EQ(robust_spread({9, 10, 11, 10, 9, 11, 1000}, 10), 1.4826);
}

TEST(TrimmedMean, LeavesOutAFifthAtEachEnd) {
  EXPECT_EQ(trimmed_mean({}), 0);
  EXPECT_EQ(trimmed_mean({1, 2, 3, 1000}), 2.5) << "the median of four";
  EXPECT_EQ(trimmed_mean({1000, 2, 3, 7, -50}), 4);
  EXPECT_EQ(trimmed_mean({9, 9, 1, 1, 4, 5, 4, 5, 4, 5}), 4.5);
}

}  // namespace
}  // namespace hpl
