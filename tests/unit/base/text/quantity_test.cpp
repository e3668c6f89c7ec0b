#include "hpl/base/text/quantity.h"

#include <limits>

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(RateText, ChoosesAUnitOfOneToThreeDigits) {
  EXPECT_EQ(rate_text(0.2673), "267 MFLOP/s");
  EXPECT_EQ(rate_text(11.756), "11.8 GFLOP/s");
  EXPECT_EQ(rate_text(14), "14.0 GFLOP/s");
  EXPECT_EQ(rate_text(999.4, 4), "999.4 GFLOP/s");
  EXPECT_EQ(rate_text(999.7), "1.000 TFLOP/s");
  EXPECT_EQ(rate_text(53612, 4), "53.61 TFLOP/s");
  EXPECT_EQ(rate_text(1.5e9), "1.50 EFLOP/s");
  EXPECT_EQ(rate_text(0), "0 MFLOP/s");
}

TEST(Significant, HasNoExponent) {
  EXPECT_EQ(significant(51234.4), "51234");
  EXPECT_EQ(significant(-0.03125), "-0.0312");
  EXPECT_EQ(significant(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(SecondsText, UsesMinutesAndHoursWhereSecondsSayLittle) {
  EXPECT_EQ(seconds_text(0.0421), "0.0421 s");
  EXPECT_EQ(seconds_text(2.5), "2.50 s");
  EXPECT_EQ(seconds_text(725), "12 min 05 s");
  EXPECT_EQ(seconds_text(11042), "3 h 04 min");
  EXPECT_EQ(seconds_text(std::numeric_limits<double>::infinity()), "?");
}

TEST(EstimateText, HasNoHundredths) {
  EXPECT_EQ(estimate_text(41.7), "42 s");
  EXPECT_EQ(estimate_text(59.7), "60 s");
  EXPECT_EQ(estimate_text(725), "12 min 05 s");
}

TEST(CountText, KnowsTheSingular) {
  EXPECT_EQ(count_text(1, "run"), "1 run");
  EXPECT_EQ(count_text(3u, "run"), "3 runs");
}

}  // namespace
}  // namespace hpl
