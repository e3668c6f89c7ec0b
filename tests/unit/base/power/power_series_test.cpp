#include "hpl/base/power/power_series.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/base/power/power_log.h"
#include "support/holds.h"
#include "support/message_of.h"

namespace hpl {
namespace {

/// 100 W at 0 s, 10 W more every second; sampled at the given times.
PowerSeries ramp(std::initializer_list<double> times) {
  PowerSeries samples;
  for (const double seconds : times)
    samples.push_back({seconds, 100 + 10 * seconds});
  return samples;
}

TEST(PowerSeries, EnergyOfARampIsExactHoweverItIsSampled) {
  // The integral of 100 + 10 t from 2 to 8 is 600 + 300.
  EXPECT_DOUBLE_EQ(energy_between(ramp({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), 2, 8), 900);
  EXPECT_DOUBLE_EQ(energy_between(ramp({0, 0.1, 3.7, 9, 10}), 2, 8), 900);
  EXPECT_DOUBLE_EQ(energy_between(ramp({-5, 20}), 2, 8), 900);
}

TEST(PowerSeries, NothingIsAddedForWhatWasNotSeen) {
  EXPECT_DOUBLE_EQ(energy_between(ramp({4, 6}), 2, 8), 2 * 150);
  EXPECT_EQ(energy_between(ramp({4, 6}), 7, 8), 0);
  EXPECT_EQ(energy_between(ramp({4, 6}), 1, 3), 0);
  EXPECT_EQ(energy_between(ramp({5}), 2, 8), 0);
}

TEST(PowerSeries, PartsAddUpToTheWhole) {
  PowerSeries samples;
  for (double t = 0; t < 50; t += 0.3 + 0.2 * std::sin(t))
    samples.push_back({t, 500 + 100 * std::sin(3 * t)});
  double parts = 0;
  for (int i = 0; i < 7; ++i)
    parts += energy_between(samples, 5 + 37.0 * i / 7, 5 + 37.0 * (i + 1) / 7);
  EXPECT_NEAR(parts, energy_between(samples, 5, 42), 1e-6);
}

TEST(PowerAverages, OfASquareWaveAreThoseOfItsHalves) {
  PowerSeries samples;
  for (int i = 0; i <= 1000; ++i)
    samples.push_back({0.1 * i, i <= 500 ? 200.0 : 400.0});
  const auto averages = power_averages(samples, 0, 100);
  ASSERT_TRUE(averages);
  EXPECT_NEAR(averages->watts, 300, 0.2);
  EXPECT_NEAR(averages->joules, 30000, 20);
  EXPECT_DOUBLE_EQ(averages->covered, 1);
  EXPECT_EQ(averages->samples, 1001);
  EXPECT_NEAR(averages->longest_gap, 0.1, 1e-9);
  ASSERT_EQ(averages->tenths.size(), 10U);
  EXPECT_NEAR(*averages->tenths[0], 200, 1e-9);
  EXPECT_NEAR(*averages->tenths[4], 200, 1e-9);
  EXPECT_NEAR(*averages->tenths[9], 400, 1e-9);
}

TEST(PowerAverages, AreThoseOfTenEqualPartsWhereverTheIntervalBegins) {
  const auto averages = power_averages(ramp({0, 3, 20}), 2, 12);
  ASSERT_TRUE(averages);
  ASSERT_EQ(averages->tenths.size(), 10U);
  for (std::size_t i = 0; i < averages->tenths.size(); ++i)
    EXPECT_NEAR(averages->tenths[i].value(), 100 + 10 * (2.5 + static_cast<double>(i)), 1e-9) << i;
}

TEST(PowerAverages, OfAMeterThatStopsCoverWhatItSaw) {
  PowerSeries samples;
  for (int i = -2; i <= 30; ++i)
    samples.push_back({static_cast<double>(i), 250});
  const auto averages = power_averages(samples, 0, 100);
  ASSERT_TRUE(averages);
  EXPECT_DOUBLE_EQ(averages->watts, 250);
  EXPECT_DOUBLE_EQ(averages->joules, 30 * 250);
  EXPECT_DOUBLE_EQ(averages->covered, 0.3);
  EXPECT_DOUBLE_EQ(averages->longest_gap, 70);
  EXPECT_TRUE(averages->tenths[2]);
  EXPECT_FALSE(averages->tenths[5]);
}

TEST(PowerAverages, OfASingleSampleHaveNoEnergy) {
  const PowerSeries samples{{5, 321}};
  const auto averages = power_averages(samples, 0, 10);
  ASSERT_TRUE(averages);
  EXPECT_EQ(averages->watts, 321);
  EXPECT_EQ(averages->joules, 0);
  EXPECT_EQ(averages->covered, 0);
  EXPECT_DOUBLE_EQ(averages->longest_gap, 5);
}

TEST(PowerAverages, NeedAnIntervalAndASampleInIt) {
  EXPECT_FALSE(power_averages({}, 0, 10));
  EXPECT_FALSE(power_averages(ramp({1, 2}), 5, 5));
  EXPECT_FALSE(power_averages(ramp({1, 2}), 5, 8));
}

TEST(PowerAverages, GapsReachOverTheEndsOfTheInterval) {
  const auto averages = power_averages(ramp({-3, 4, 6, 13}), 0, 10);
  EXPECT_DOUBLE_EQ(averages->longest_gap, 7);
  EXPECT_DOUBLE_EQ(averages->covered, 1);
  EXPECT_EQ(averages->samples, 2);
}

TEST(PowerBySecond, HoldsTheMeanOfEverySecond) {
  const auto watts = power_by_second(ramp({0, 0.7, 1.1, 2.9, 10}), 0, 3.5);
  ASSERT_EQ(watts.size(), 4U);
  EXPECT_NEAR(*watts[0], 105, 1e-9);
  EXPECT_NEAR(*watts[2], 125, 1e-9);
  EXPECT_NEAR(*watts[3], 132.5, 1e-9);
  const auto late = power_by_second(ramp({1.5, 10}), 0, 3);
  EXPECT_FALSE(late[0]);
  EXPECT_TRUE(late[1]);
}

TEST(ThinnedSeries, HaveOneSampleASecondAndKeepTheNeighboursOfTheInterval) {
  PowerSeries samples;
  for (int i = 0; i <= 100; ++i)
    samples.push_back({0.25 * i, static_cast<double>(i)});
  const PowerSeries kept = thinned(samples, 10, 12);
  ASSERT_EQ(kept.size(), 4U);
  EXPECT_EQ(kept[0], (PowerSample{9.75, 39}));
  EXPECT_EQ(kept[1], (PowerSample{10.375, 41.5}));
  EXPECT_EQ(kept[3], (PowerSample{12.125, 48.5}));
}

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
  EXPECT_TRUE(test::holds(log.complaints[0], {"2 lines", "line 2: \"ERROR\""}));
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
  EXPECT_TRUE(test::holds(table.complaints[0], {"2 lines", "line 5: \"1002;foo;;32\""}));
}

TEST(PowerTable, WithoutAHeadHasNoNames) {
  parse_power_table("pdu.csv", "1000,1,2\n", 0, [](const std::vector<std::string>& head) {
    EXPECT_TRUE(head.empty());
    return std::vector<std::size_t>{1};
  });
}

TEST(PowerLog, WithoutASampleIsRefused) {
  for (const char* text : {"", "time,watts\n", "time,watts\nfoo,bar\n", "1000\n"})
    EXPECT_TRUE(test::message_of<ConfigError>([&] {
                  parse_power_log("pdu.csv", text, 0);
                }).starts_with("pdu.csv"))
        << text;
}

}  // namespace
}  // namespace hpl
