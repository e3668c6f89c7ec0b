#include "hpl/machine/model/rate_table.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(RateTable, GivesWhatWasMeasuredAtItsPoints) {
  const RateTable table({{10, 100}, {1, 2, 4}}, {1, 2, 3, 4, 5, 6});
  EXPECT_DOUBLE_EQ(table.at({10, 1}), 1);
  EXPECT_DOUBLE_EQ(table.at({10, 4}), 3);
  EXPECT_DOUBLE_EQ(table.at({100, 2}), 5);
}

TEST(RateTable, IsAStraightLineInLogarithmsBetweenThem) {
  const RateTable table({{1, 100}}, {1, 100});
  EXPECT_NEAR(table.at({10}), 10, 1e-12);
  EXPECT_NEAR(table.at({31.6227766}), 31.6227766, 1e-6);
}

TEST(RateTable, KeepsTheValueAtItsBorderBeyondIt) {
  const RateTable table({{10, 100}}, {5, 7});
  EXPECT_DOUBLE_EQ(table.at({1}), 5);
  EXPECT_DOUBLE_EQ(table.at({1e9}), 7);
}

TEST(RateTable, GoesAlongEveryAxis) {
  const RateTable table({{1, 4}, {1, 4}, {1, 4}}, {1, 2, 3, 6, 5, 10, 15, 30});
  EXPECT_NEAR(table.at({2, 1, 1}), std::sqrt(5.0), 1e-12);
  EXPECT_NEAR(table.at({1, 2, 1}), std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(table.at({1, 1, 2}), std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(table.at({2, 2, 2}), std::sqrt(30.0), 1e-12);
}

TEST(RateTable, OfOneValueIsTheSameEverywhere) {
  EXPECT_DOUBLE_EQ(RateTable::constant(3, 42).at({1, 1e6, 7}), 42);
}

}  // namespace
}  // namespace hpl
