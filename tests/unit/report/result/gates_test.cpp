#include "hpl/report/result/gates.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/holds.h"
#include "unit/report/fixed_results.h"

namespace hpl {
namespace {

RunResult run_of(int index, int repeat, double gflops) {
  RunResult run = test::passing_run();
  run.run_index = index;
  run.repeat_index = repeat;
  run.gflops = gflops;
  run.attainable_gflops = 100;
  return run;
}

GateResult only(const Gates& gates, const std::vector<RunResult>& runs) {
  const std::vector<GateResult> results = judge(gates, runs);
  EXPECT_EQ(results.size(), 1u);
  return results.at(0);
}

TEST(Gates, AskForNothingByDefault) {
  EXPECT_FALSE(Gates{}.any());
  EXPECT_TRUE(judge({}, std::vector{run_of(0, 0, 1)}).empty());
}

TEST(Gates, ForTheRateHoldAtTheLimitItself) {
  EXPECT_TRUE(only({.min_gflops = 50}, {run_of(0, 0, 50)}).held);
  EXPECT_FALSE(only({.min_gflops = 50}, {run_of(0, 0, 49.999)}).held);
}

TEST(Gates, ForTheRateNameTheSlowestRunAndHowManyMissed) {
  const GateResult result =
      only({.min_gflops = 50}, {run_of(0, 0, 60), run_of(1, 1, 40.5), run_of(2, 0, 45)});
  EXPECT_FALSE(result.held);
  EXPECT_EQ(result.worst, 40.5);
  EXPECT_EQ(result.reason,
            "40.5 GFLOP/s in run 2, repetition 2 (N = 1000, NB = 128, 2 x 3), 2 of 3 runs below");
}

TEST(Gates, ThatAreMissedSayWhatDisturbedTheRun) {
  RunResult disturbed = run_of(0, 0, 40);
  for (DeviceTelemetry& device : disturbed.devices)
    device.backend = "cpu";
  disturbed.others = OtherProcesses{"node01", 0.65};
  const std::string place = "40 GFLOP/s in run 1 (N = 1000, NB = 128, 2 x 3)";
  EXPECT_EQ(
      only({.min_gflops = 50}, {disturbed}).reason,
      place + ", no measure of this machine: other processes took 65 % of the cores of node01");
  EXPECT_EQ(only({.min_gflops = 30}, {disturbed}).reason, place) << "held all the same";
}

TEST(Gates, ForTheRateFailOnARateThatIsNoNumber) {
  EXPECT_FALSE(only({.min_gflops = 50}, {run_of(0, 0, std::nan(""))}).held);
}

TEST(Gates, ForTheEfficiencyCompareWithTheAttainableRate) {
  const GateResult held = only({.min_efficiency = 90}, {run_of(0, 0, 91)});
  EXPECT_TRUE(held.held);
  EXPECT_DOUBLE_EQ(held.worst.value(), 91);
  EXPECT_FALSE(only({.min_efficiency = 90}, {run_of(0, 0, 89)}).held);
}

TEST(Gates, ForTheEfficiencyFailWithoutAnAttainableRate) {
  RunResult unmeasured = run_of(1, 0, 99);
  unmeasured.attainable_gflops.reset();
  const GateResult result = only({.min_efficiency = 90}, {run_of(0, 0, 99), unmeasured});
  EXPECT_FALSE(result.held);
  EXPECT_TRUE(test::holds(result.reason, {"nothing was measured for run 2"}));
}

TEST(Gates, ForTheShareOfThePeakCompareWithRpeak) {
  RunResult run = run_of(0, 0, 50);
  EXPECT_FALSE(only({.min_peak_efficiency = 1}, {run}).held) << "Rpeak is unknown";
  run.peak = PeakRate{200, "--rpeak 200"};
  const GateResult held = only({.min_peak_efficiency = 25}, {run});
  EXPECT_TRUE(held.held);
  EXPECT_DOUBLE_EQ(held.worst.value(), 25);
  EXPECT_TRUE(test::holds(held.reason, {"25 % of Rpeak in run 1"}));
  EXPECT_FALSE(only({.min_peak_efficiency = 26}, {run}).held);
}

TEST(Gates, ForTheSpreadCompareRepetitionsOfTheSameRunOnly) {
  const std::vector<RunResult> runs{run_of(0, 0, 100), run_of(0, 1, 103), run_of(1, 0, 50)};
  EXPECT_TRUE(only({.max_spread = 3}, runs).held);
  const GateResult missed = only({.max_spread = 2.9}, runs);
  EXPECT_FALSE(missed.held);
  EXPECT_NEAR(missed.worst.value(), 100 * 3 / 101.5, 1e-12);
  EXPECT_TRUE(
      test::holds(missed.reason, {"2 repetitions of run 1: from 100.0 GFLOP/s to 103.0 GFLOP/s"}));
}

TEST(Gates, ForTheSpreadNameTheSlowestAndTheFastestRankWithTheirHosts) {
  RunResult run = run_of(0, 0, 100);
  run.rank_gflops = {50, 0, 52, 45};
  run.devices = {{.rank = 2, .host = "node01"}, {.rank = 3, .host = "node02"}};
  const GateResult missed = only({.max_spread = 5}, {run});
  EXPECT_FALSE(missed.held);
  EXPECT_DOUBLE_EQ(missed.worst.value(), 14);
  EXPECT_TRUE(test::holds(missed.reason,
                          {"rank 3 on node02 45.00 GFLOP/s, rank 2 on node01 52.00 GFLOP/s"}));
  EXPECT_TRUE(only({.max_spread = 14}, {run}).held);
}

TEST(Gates, ForTheSpreadFailWithNothingToCompare) {
  EXPECT_FALSE(only({.max_spread = 5}, {run_of(0, 0, 100)}).held);
}

TEST(Gates, AreJudgedOneByOne) {
  const std::vector<GateResult> results =
      judge({.min_gflops = 1, .min_efficiency = 99, .max_spread = 50},
            std::vector{run_of(0, 0, 90), run_of(0, 1, 91)});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_TRUE(results[0].held);
  EXPECT_FALSE(results[1].held);
  EXPECT_TRUE(results[2].held);
}

TEST(Spread, IsTheRangeOverTheMedian) {
  EXPECT_EQ(spread_percent({}), 0);
  EXPECT_EQ(spread_percent({7}), 0);
  EXPECT_DOUBLE_EQ(spread_percent({9, 11, 10}), 20);
  EXPECT_TRUE(std::isinf(spread_percent({0, 0, 1})));
}

TEST(RankExtremes, LeaveOutRanksWithoutProducts) {
  RunResult run;
  run.rank_gflops = {0, 5};
  EXPECT_FALSE(rank_extremes(run));
  run.rank_gflops = {0, 5, 4};
  EXPECT_EQ(rank_extremes(run)->slowest, 2);
  EXPECT_EQ(rank_extremes(run)->fastest, 1);
}

}  // namespace
}  // namespace hpl
