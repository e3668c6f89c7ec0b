#include "hpl/fleet/judge/fleet_power.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/base/number/benchmark_formulas.h"
#include "unit/fleet/sample_fleet.h"

namespace hpl {
namespace {

constexpr double kBegin = 1'700'000'000;
constexpr int kHosts = 3, kDevices = 2, kRuns = 3;
constexpr double kRunSeconds = 50, kPeriod = 100;

/// Every member runs from 0 to 50 s, from 100 to 150 s and from 200 to 250 s.
FleetReport steady_fleet() {
  FleetReport fleet = test::sample_fleet(kHosts, kDevices);
  for (FleetMember& member : fleet.members)
    for (RunResult& run : member.runs) {
      run.started = static_cast<std::time_t>(kBegin + kPeriod * run.repeat_index);
      run.seconds = kRunSeconds;
    }
  judge_fleet(fleet);
  return fleet;
}

/// GFLOP/s of so many members at their runs.
double rate_of(const FleetReport& fleet, int members) {
  return members * benchmark_flops(fleet.spec.order) / 1e9 / kRunSeconds;
}

/// A line a second from -10 to 300 s: `busy` while the runs go on, else `idle`.
std::string log_of(const std::string& head, const std::string& busy, const std::string& idle,
                   int late = 0) {
  std::string log = head;
  for (int t = -10; t <= 300; ++t) {
    const bool at_work = t >= 0 && t <= 250 && t % static_cast<int>(kPeriod) <= kRunSeconds;
    log += fmt::format("{:.0f},{}\n", kBegin + t + late, at_work ? busy : idle);
  }
  return log;
}

TEST(FleetPower, OfOneMeterIsOfTheWholeWhileItWorks) {
  FleetReport fleet = steady_fleet();
  const std::string log = log_of("time,watts\n", "3000", "500");
  ASSERT_TRUE(add_power_log(fleet, {.name = "pdu.csv", .text = log}));
  const FleetPower& power = *fleet.power;
  ASSERT_EQ(power.meters.size(), 1U);
  const FleetMeter& all = power.meters[0];
  EXPECT_EQ(all.host, "");
  EXPECT_DOUBLE_EQ(all.core_seconds, kRuns * kRunSeconds);
  EXPECT_DOUBLE_EQ(all.watts, 3000) << "what is drawn between runs is no part of it";
  EXPECT_DOUBLE_EQ(all.joules, 3000 * kRuns * kRunSeconds);
  EXPECT_DOUBLE_EQ(all.covered, 1);
  EXPECT_EQ(all.samples, kRuns * 51);
  EXPECT_NEAR(*all.gflops_per_watt, rate_of(fleet, kHosts * kDevices) / 3000, 1e-9);
  EXPECT_TRUE(power.remarks.empty());
}

TEST(FleetPower, OfAColumnForEachNodeIsOfNodesAndOfTheirSum) {
  FleetReport fleet = steady_fleet();
  fleet.hosts[1].name = "node02.site";
  for (FleetMember& member : fleet.members)
    if (member.hosts[0] == "node02") member.hosts[0] = "node02.site";
  const std::string log =
      log_of("time,node03,inlet,node01,node02\n", "1200,20,1000,800", "300,20,300,300");
  ASSERT_TRUE(add_power_log(fleet, {.name = "pdu.csv", .text = log}));
  const FleetPower& power = *fleet.power;
  ASSERT_EQ(power.meters.size(), 4U);
  EXPECT_DOUBLE_EQ(power.meters[0].watts, 3000);
  EXPECT_NEAR(*power.meters[0].gflops_per_watt, rate_of(fleet, 6) / 3000, 1e-9);
  EXPECT_EQ(power.meters[1].host, "node03");
  EXPECT_EQ(power.meters[3].host, "node02.site");
  EXPECT_DOUBLE_EQ(power.meters[3].watts, 800);
  EXPECT_NEAR(*power.meters[3].gflops_per_watt, rate_of(fleet, 2) / 800, 1e-9);
  EXPECT_TRUE(power.remarks.empty());
}

TEST(FleetPower, OfAllIsTheSumOnLinesBetweenReadingsOfDifferentTimes) {
  FleetReport fleet = steady_fleet();
  std::string log = "time,node01,node02,node03\n";
  for (int t = -10; t <= 300; ++t)
    log += fmt::format("{:.0f},{},{},500\n", kBegin + t, 1000 + 2 * t,
                       t % 10 == 0 ? std::to_string(800 + 4 * t) : "");
  ASSERT_TRUE(add_power_log(fleet, {.name = "pdu.csv", .text = log}));
  // The runs lie around 125 s.
  EXPECT_NEAR(fleet.power->meters[0].watts, 1000 + 250 + 800 + 500 + 500, 1e-6);
}

TEST(FleetPower, OfNodesWithoutAColumnIsNoneAndTheirWorkDoesNotCount) {
  FleetReport fleet = steady_fleet();
  // One has no column, or one without a reading; a host without a run draws power of its own.
  fleet.hosts.push_back({{.name = "node04"}});
  const std::string log = log_of("time,node01,node02,node03,node04\n", "1000,500,,70", "0,0,,70");
  ASSERT_TRUE(add_power_log(fleet, {.name = "pdu.csv", .text = log}));
  ASSERT_EQ(fleet.power->meters.size(), 3U);
  EXPECT_DOUBLE_EQ(fleet.power->meters[0].watts, 1500);
  EXPECT_NEAR(*fleet.power->meters[0].gflops_per_watt, rate_of(fleet, 4) / 1500, 1e-9);
  ASSERT_EQ(fleet.power->remarks.size(), 1U);
  EXPECT_EQ(fleet.power->remarks[0].text,
            "the log has no reading of node03: the whole is of the others");
}

TEST(FleetPower, OfAPairIsOfBothItsNodes) {
  FleetReport fleet = steady_fleet();
  fleet.each = FleetMemberKind::Pair;
  fleet.members.resize(1);
  fleet.members[0].hosts = {"node01", "node02"};
  const std::string log = log_of("time,node01,node02\n", "1000,500", "0,0");
  ASSERT_TRUE(add_power_log(fleet, {.name = "pdu.csv", .text = log}));
  EXPECT_NEAR(*fleet.power->meters[0].gflops_per_watt, rate_of(fleet, 1) / 1500, 1e-9);
  EXPECT_NEAR(*fleet.power->meters[1].gflops_per_watt, rate_of(fleet, 1) / 2 / 1000, 1e-9);
}

TEST(FleetPower, HasAMeterWithItsClockShifted) {
  FleetReport fleet = steady_fleet();
  const std::string log = log_of("", "3000", "500", 7200);
  EXPECT_FALSE(add_power_log(fleet, {.name = "pdu.csv", .text = log}));
  EXPECT_FALSE(fleet.power);
  ASSERT_TRUE(add_power_log(fleet, {.name = "pdu.csv", .text = log, .offset = -7200}));
  EXPECT_DOUBLE_EQ(fleet.power->meters[0].watts, 3000);
}

TEST(FleetPower, OfALogThatEndsEarlyOrHoldsRubbishSaysEachOnce) {
  FleetReport fleet = steady_fleet();
  std::string log = "time,watts,volts\n";
  for (int t = 0; t <= 120; ++t)
    log += fmt::format("{:.0f},{}\n", kBegin + t, t % 50 == 7 ? "n/a" : "3000,230");
  ASSERT_TRUE(add_power_log(fleet, {.name = "pdu.csv", .text = log}));
  const FleetPower& power = *fleet.power;
  EXPECT_DOUBLE_EQ(power.meters[0].watts, 3000);
  EXPECT_NEAR(power.meters[0].covered, 70.0 / 150, 1e-9);
  EXPECT_NEAR(*power.meters[0].gflops_per_watt, rate_of(fleet, 6) / 3000, 1e-9)
      << "the average is taken for what was not seen";
  ASSERT_EQ(power.remarks.size(), 3U);
  EXPECT_NE(power.remarks[0].text.find("3 lines passed over"), std::string::npos)
      << power.remarks[0].text;
  EXPECT_NE(power.remarks[1].text.find("the first, watts, counts for all"), std::string::npos);
  EXPECT_NE(power.remarks[2].text.find("readings cover 70.0 of 150.0 s"), std::string::npos);
}

TEST(FleetPower, HasTheLevelOfItsRuns) {
  FleetReport fleet = steady_fleet();
  const std::string log = log_of("", "3000", "500");
  const PowerScope scope{1.0, PowerSubsystems::All, PowerPlace::Upstream};
  ASSERT_TRUE(add_power_log(fleet, {.name = "pdu.csv", .text = log, .scope = scope}));
  EXPECT_EQ(fleet.power->level, 0);
  ASSERT_EQ(fleet.power->missing.size(), 1U);
  EXPECT_EQ(fleet.power->missing[0], "sampling: a core phase of a minute or more (here 50.0 s)");
  for (FleetMember& member : fleet.members)
    for (RunResult& run : member.runs)
      run.seconds = 80;
  ASSERT_TRUE(add_power_log(fleet, {.name = "pdu.csv", .text = log, .scope = scope}));
  EXPECT_EQ(fleet.power->level, 2);
  // A run that reaches less, of all members at once.
  for (FleetMember& member : fleet.members)
    member.runs[1].seconds = kRunSeconds;
  ASSERT_TRUE(add_power_log(fleet, {.name = "pdu.csv", .text = log, .scope = scope}));
  EXPECT_EQ(fleet.power->level, 0);
}

TEST(FleetPower, OfALogWithoutAReadingIsRefused) {
  FleetReport fleet = steady_fleet();
  EXPECT_THROW(add_power_log(fleet, {.name = "pdu.csv", .text = "time,node01\nfoo,bar\n"}),
               ConfigError);
}

}  // namespace
}  // namespace hpl
