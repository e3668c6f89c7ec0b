#include <cmath>

#include <gtest/gtest.h>

#include "hpl/machine/model/prediction.h"
#include "made_up_machine.h"

// Products that do not always take as long, and ranks that wait for each other.

namespace hpl {
namespace {

using test::only_products;
using test::spec_of;

constexpr std::int64_t kOrder = 16384, kBlock = 512;
constexpr double kDeviation = 0.003;  // of a second's products

Prediction predicted(int rows, double deviation) {
  Rates rates = only_products();
  rates.second_deviation = deviation;
  DecidedRun decided = decided_run(spec_of(kOrder, kBlock, rows, 1), rates);
  decided.settings.pipeline = PipelineKind::Serial;
  decided.settings.stages.schedule.chunks_of_tail = 1;
  return predict(ModelKind::Simulated, decided, rates);
}

// Every step's exchange waits for the last of eight ranks: 1.42 standard deviations.
TEST(UnevenRanks, WaitForTheSlowestProductBeforeEveryExchange) {
  double expected = 0;
  for (double left = kOrder - kBlock; left > 0; left -= kBlock)
    expected += 1.42 * kDeviation * std::sqrt(2 * left / 8 * left * kBlock / 1e12);
  const double waited = predicted(8, kDeviation).seconds - predicted(8, 0).seconds;
  EXPECT_NEAR(waited, expected, 0.25 * expected);
}

// Nothing is gained or lost over a run: a tenth of what chance alone would leave.
TEST(UnevenRanks, AreAsFastAsEvenOnesWhereNobodyWaits) {
  const double even = predicted(1, 0).seconds;
  const double uneven = predicted(1, kDeviation).seconds;
  EXPECT_NE(uneven, even);
  EXPECT_NEAR(uneven, even, 0.1 * kDeviation * std::sqrt(even));
}

TEST(UnevenRanks, AreThoseOfEveryPrediction) {
  EXPECT_EQ(predicted(2, kDeviation).seconds, predicted(2, kDeviation).seconds);
}

}  // namespace
}  // namespace hpl
