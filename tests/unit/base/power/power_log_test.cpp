#include "hpl/base/power/power_log.h"

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"

namespace hpl {
namespace {

TEST(Watts, AreANumberWithOrWithoutItsUnit) {
  EXPECT_EQ(parse_watts("512.5"), 512.5);
  EXPECT_EQ(parse_watts("  512 W \r"), 512);
  EXPECT_EQ(parse_watts("512Watts"), 512);
  EXPECT_EQ(parse_watts("0"), 0);
}

TEST(Watts, AreNothingElse) {
  for (const char* text : {"", "W", "foo", "512 V", "-1", "nan", "inf", "1e10", "512 513", "5,5"})
    EXPECT_FALSE(parse_watts(text)) << text;
}

TEST(LogTimes, AreSecondsOrADate) {
  EXPECT_EQ(parse_log_time("1767412800.5"), 1767412800.5);
  EXPECT_EQ(parse_log_time(" 2026-01-03T05:00:00.5+01:00 "), 1767412800.5);
  for (const char* text : {"", "yesterday", "-5"})
    EXPECT_FALSE(parse_log_time(text)) << text;
}

TEST(PowerLog, IsReadWithHeadCommentsAndFurtherColumns) {
  const PowerLog log = parse_power_log("pdu.csv",
                                       "time,watts,volts\n# rack 3\n1002,300,230\n"
                                       "1000;\"100 W\"\n\n1001\t200\t230\n",
                                       0.5);
  const PowerSeries expected{{1000.5, 100}, {1001.5, 200}, {1002.5, 300}};
  EXPECT_EQ(log.samples, expected);
  EXPECT_TRUE(log.complaints.empty());
}

TEST(PowerLog, PassesOverRubbishAndSaysSoOnce) {
  const PowerLog log = parse_power_log("pdu.csv", "1000,100\nERROR\n1001,n/a\n1002,300\n", 0);
  EXPECT_EQ(log.samples.size(), 2U);
  ASSERT_EQ(log.complaints.size(), 1U);
  EXPECT_NE(log.complaints[0].find("2 line(s)"), std::string::npos) << log.complaints[0];
  EXPECT_NE(log.complaints[0].find("line 2: \"ERROR\""), std::string::npos) << log.complaints[0];
}

TEST(PowerLog, WithoutASampleIsRefused) {
  for (const char* text : {"", "time,watts\n", "time,watts\nfoo,bar\n", "1000\n"}) {
    try {
      parse_power_log("pdu.csv", text, 0);
      ADD_FAILURE() << text;
    } catch (const ConfigError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("pdu.csv", 0), 0U) << error.what();
    }
  }
}

}  // namespace
}  // namespace hpl
