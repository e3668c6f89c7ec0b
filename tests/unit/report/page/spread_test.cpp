#include "report/page/spread.h"

#include <vector>

#include <gtest/gtest.h>

namespace hpl::page {
namespace {

TEST(Spread, InterpolatesQuartilesOfUnsortedValues) {
  const Spread spread = spread_of(std::vector<double>{4, 1, 3, 2});
  EXPECT_EQ(spread.minimum, 1);
  EXPECT_DOUBLE_EQ(spread.low_quartile, 1.75);
  EXPECT_DOUBLE_EQ(spread.median, 2.5);
  EXPECT_DOUBLE_EQ(spread.high_quartile, 3.25);
  EXPECT_EQ(spread.maximum, 4);
}

TEST(Spread, OfOneValueIsThatValue) {
  const Spread spread = spread_of(std::vector<double>{7});
  EXPECT_EQ(spread.minimum, 7);
  EXPECT_EQ(spread.median, 7);
  EXPECT_EQ(spread.maximum, 7);
}

TEST(Spread, OfNothingIsZero) {
  EXPECT_EQ(spread_of({}).maximum, 0);
}

}  // namespace
}  // namespace hpl::page
