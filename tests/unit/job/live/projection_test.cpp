
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/job/live/progress.h"

namespace hpl {
namespace {

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
