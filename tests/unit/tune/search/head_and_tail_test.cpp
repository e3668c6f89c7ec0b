#include "hpl/tune/search/head_and_tail.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hpl {
namespace {

/// A run of order n takes a n^3 + b n^2.
double seconds_of(double a, double b, double n) {
  return a * n * n * n + b * n * n;
}

HeadAndTail parts_of(double a, double b) {
  return {.order = 10000,
          .columns_done = 500,
          .head_seconds = seconds_of(a, b, 10000) - seconds_of(a, b, 9500),
          .tail_order = 3000,
          .tail_seconds = seconds_of(a, b, 3000)};
}

TEST(HeadAndTail, TwoTermsAreFoundAgain) {
  for (const double b : {0.0, 1e-8, 5e-8})
    EXPECT_NEAR(whole_run_seconds(parts_of(1e-11, b)) / seconds_of(1e-11, b, 10000), 1, 1e-9) << b;
}

TEST(HeadAndTail, WithoutTailTheRateOfTheBeginningHolds) {
  HeadAndTail parts = parts_of(1e-11, 0);
  parts.tail_order = 0;
  parts.tail_seconds = 0;
  EXPECT_NEAR(whole_run_seconds(parts), 10.0, 1e-9);
}

TEST(HeadAndTail, NoiseThatContradictsTheFormLeavesTheRateOfTheBeginning) {
  HeadAndTail parts = parts_of(1e-11, 0);
  parts.tail_seconds *= 0.9;  // a small run is never faster per operation: b below 0
  const double expected = 10.0 - 0.1 * seconds_of(1e-11, 0, 3000);
  EXPECT_NEAR(whole_run_seconds(parts), expected, 1e-9);
}

TEST(HeadAndTail, AWholeRunIsWhatItTook) {
  EXPECT_EQ(whole_run_seconds({.order = 500, .columns_done = 500, .head_seconds = 2}), 2);
  EXPECT_EQ(whole_run_seconds({.order = 0, .columns_done = 0, .head_seconds = 0}), 0);
}

}  // namespace
}  // namespace hpl
