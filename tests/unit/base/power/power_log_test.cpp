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
  EXPECT_NE(log.complaints[0].find("2 lines"), std::string::npos) << log.complaints[0];
  EXPECT_NE(log.complaints[0].find("line 2: \"ERROR\""), std::string::npos) << log.complaints[0];
}

TEST(PowerTable, HasTheChosenColumnsOfAHead) {
  std::vector<std::string> seen;
  const PowerTable table = parse_power_table(
      "pdu.csv", "# site\ntime;n1;n2;\"n3\"\n1001;10;;30\n1000;11;;31\n1002;foo;;32\n1003;;;\n", 1,
      [&](const std::vector<std::string>& head) {
        seen = head;
        return std::vector<std::size_t>{0, 2};
      });
  EXPECT_EQ(seen, (std::vector<std::string>{"n1", "n2", "n3"}));
  ASSERT_EQ(table.columns.size(), 2U);
  EXPECT_EQ(table.columns[0], (PowerSeries{{1001, 11}, {1002, 10}}));
  EXPECT_EQ(table.columns[1], (PowerSeries{{1001, 31}, {1002, 30}, {1003, 32}}))
      << "a good reading beside a bad one counts";
  ASSERT_EQ(table.complaints.size(), 1U) << "said once";
  EXPECT_NE(table.complaints[0].find("2 lines"), std::string::npos) << table.complaints[0];
  EXPECT_NE(table.complaints[0].find("line 5: \"1002;foo;;32\""), std::string::npos)
      << table.complaints[0];
}

TEST(PowerTable, WithoutAHeadHasNoNames) {
  parse_power_table("pdu.csv", "1000,1,2\n", 0, [](const std::vector<std::string>& head) {
    EXPECT_TRUE(head.empty());
    return std::vector<std::size_t>{1};
  });
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
