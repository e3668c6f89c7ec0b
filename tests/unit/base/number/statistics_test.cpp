#include "hpl/base/number/statistics.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

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
