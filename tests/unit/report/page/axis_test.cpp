#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "report/page/chart.h"

namespace hpl::page {
namespace {

TEST(RoundAxis, CoversTheValuesBetweenRoundNumbers) {
  const Axis axis = round_axis(0, 53.6);
  EXPECT_EQ(axis.from, 0);
  EXPECT_EQ(axis.to, 60);
  EXPECT_EQ(axis.ticks, (std::vector<double>{0, 20, 40, 60}));
}

TEST(RoundAxis, HasNoMinusZero) {
  EXPECT_FALSE(std::signbit(round_axis(0, 50).ticks.front()));
}

TEST(RoundAxis, NeedNotBeginAtZero) {
  const Axis axis = round_axis(1640, 1980);
  EXPECT_EQ(axis.from, 1600);
  EXPECT_EQ(axis.to, 2000);
}

TEST(RoundAxis, GivesRoomToASingleValue) {
  for (const double value : {0.0, 7.0, -3.0, 1e-12, 1e12}) {
    const Axis axis = round_axis(value, value);
    EXPECT_LT(axis.from, axis.to) << value;
    EXPECT_GE(axis.place(value), 0) << value;
    EXPECT_LE(axis.place(value), 1) << value;
    EXPECT_GE(axis.ticks.size(), 2U) << value;
  }
}

TEST(RoundAxis, StandsUpToWhatIsNoNumber) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [from, to] : {std::pair(0.0, kInfinity), std::pair(kNaN, 1.0),
                                 std::pair(2.0, 1.0), std::pair(-1e308, 1e308)}) {
    const Axis axis = round_axis(from, to);
    EXPECT_EQ(axis.from, 0);
    EXPECT_EQ(axis.to, 1);
  }
}

TEST(LevelAxis, BeginsAtZeroUnlessAllValuesAreInTheUpperHalf) {
  EXPECT_EQ(level_axis(20, 53).from, 0);
  EXPECT_EQ(level_axis(49, 53).from, 46);
  EXPECT_GE(level_axis(49, 53).to, 53);
}

TEST(ExactAxis, EndsWhereItIsToldAndIsMarkedAtRoundNumbers) {
  const Axis axis = exact_axis(0, 17.3);
  EXPECT_EQ(axis.to, 17.3);
  EXPECT_EQ(axis.ticks, (std::vector<double>{0, 5, 10, 15}));
}

TEST(ExactAxis, MarksTenthsWhereTheyAreTheRoundNumbers) {
  const Axis axis = exact_axis(0, 0.37);
  ASSERT_EQ(axis.ticks.size(), 4U);
  EXPECT_DOUBLE_EQ(axis.ticks[3], 0.3);
}

}  // namespace
}  // namespace hpl::page
