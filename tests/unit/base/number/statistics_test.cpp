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

}  // namespace
}  // namespace hpl
