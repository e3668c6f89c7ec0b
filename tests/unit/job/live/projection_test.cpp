#include "hpl/job/live/projection.h"

#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/job/live/progress.h"

namespace hpl {
namespace {

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

TEST(Projection, ExpectsTheRestAtTheRateOfThePart) {
  const std::vector<StepRecord> steps{{.step = 0, .columns_done = 250, .seconds = 5},
                                      {.step = 1, .columns_done = 500, .seconds = 7}};
  const EarlyStop stop = project(1000, steps, 7);
  EXPECT_EQ(stop.columns_done, 500);
  EXPECT_DOUBLE_EQ(stop.fraction, 0.875);
  EXPECT_DOUBLE_EQ(stop.projected_seconds, 8);
  EXPECT_DOUBLE_EQ(stop.projected_gflops, benchmark_gflops(1000, 8));
  EXPECT_DOUBLE_EQ(stop.gflops, factorization_flops(1000, 500) / 7 / 1e9);
}

}  // namespace
}  // namespace hpl
