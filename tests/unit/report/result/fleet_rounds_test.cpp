#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "../sample_fleet.h"
#include "hpl/report/result/fleet_verdict.h"

namespace hpl {
namespace {

using test::sample_fleet;

std::string first_finding(const FleetUnit& unit) {
  return unit.findings.empty() ? "" : unit.findings.front().text;
}

TEST(FleetRounds, ChecksumsThatDisagreeFailTheirUnitAndAreNamed) {
  FleetReport report = sample_fleet(3, 1);
  FleetRound& round = report.units[1].rounds[2];
  round.checksums = ChecksumResult{.interval = 1,
                                   .comparisons = 9,
                                   .faults = {{.rank = 1,
                                               .first_step = 3,
                                               .last_step = 3,
                                               .rows = 1,
                                               .first_row = 50,
                                               .difference = 1e-10,
                                               .tolerance = 1e-12}}};
  judge_fleet(report);
  EXPECT_EQ(report.units[1].verdict, FleetVerdict::Failed) << "its residual is small";
  EXPECT_EQ(first_finding(report.units[1]),
            "round 3: checksums: disagree after step 3 on rank 1 on node02, cuda 0: 1 row(s), the "
            "first is row 50, by up to 1.000e-10 where rounding stays below 1.000e-12");
  EXPECT_EQ(report.pass_list, "node[01,03]");
  EXPECT_EQ(report.fail_list, "node02");
  EXPECT_EQ(exit_code_of(report), ExitCode::Failed);
}

TEST(FleetRounds, WhatARunSaysOfItselfIsItsFinding) {
  FleetReport report = sample_fleet(1, 2);
  report.units[1].rounds[0].failures = {"the solution has other bits", "and is wrong"};
  judge_fleet(report);
  ASSERT_EQ(report.units[1].findings.size(), 2U);
  EXPECT_EQ(first_finding(report.units[1]), "round 1: the solution has other bits");
  EXPECT_EQ(report.fail_list, "node01");
}

TEST(FleetRounds, ChecksumsThatAgreeAreCounted) {
  FleetReport report = sample_fleet(1, 2);
  for (FleetUnit& unit : report.units)
    for (FleetRound& round : unit.rounds)
      round.checksums = ChecksumResult{.interval = 4, .comparisons = 5, .faults = {}};
  report.units[0].rounds[1].checksums->comparisons = 0;
  judge_fleet(report);
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  ASSERT_EQ(report.remarks.size(), 2U);
  EXPECT_EQ(report.remarks[0], "checksums: compared 25 time(s) in 6 round(s)");
  EXPECT_EQ(report.remarks[1],
            "checksums: compared 0 times in 1 of these rounds, so they show nothing there");
}

TEST(FleetRounds, ASecondFactorizationIsTold) {
  FleetReport report = sample_fleet(1, 1);
  FleetRound& round = report.units[0].rounds[0];
  round.status = RunStatus::Failed;
  round.scaled_residual = 1e6;
  round.checksums =
      ChecksumResult{.interval = 1, .comparisons = 78, .repeated = true, .faults = {}};
  judge_fleet(report);
  ASSERT_EQ(report.units[0].findings.size(), 2U);
  EXPECT_EQ(first_finding(report.units[0]), "round 1: the scaled residual 1e+06 is not below 16");
  EXPECT_EQ(report.units[0].findings[1].severity, FleetSeverity::Remark);
  EXPECT_TRUE(report.units[0].findings[1].text.starts_with(
      "round 1: checksums: second factorization: agree, compared 78 time(s)"))
      << report.units[0].findings[1].text;
}

TEST(FleetRounds, AHostWhoseSolutionsWereNotCheckedIsInNeitherList) {
  FleetReport report = sample_fleet(3, 1);
  report.units[1].rounds[1].status = RunStatus::Unchecked;
  report.units[1].rounds[1].scaled_residual.reset();
  judge_fleet(report);
  EXPECT_EQ(report.units[1].verdict, FleetVerdict::Unchecked);
  EXPECT_EQ(report.hosts[1].verdict, FleetVerdict::Unchecked);
  EXPECT_EQ(report.pass_list, "node[01,03]");
  EXPECT_EQ(report.fail_list, "");
  EXPECT_EQ(exit_code_of(report), ExitCode::Failed);
  ASSERT_EQ(report.remarks.size(), 1U);
  EXPECT_EQ(report.remarks[0], "1 of 9 solutions were not checked");
}

TEST(FleetRounds, AThresholdOfZeroChecksNothing) {
  FleetReport report = sample_fleet(1, 3);
  report.spec.threshold = 0;  // as if the rounds had been passed by hand
  judge_fleet(report);
  EXPECT_EQ(report.pass_list, "");
  EXPECT_EQ(report.fail_list, "");
  EXPECT_EQ(exit_code_of(report), ExitCode::Failed);
}

TEST(FleetRounds, AUnitThatMadeNoRoundLeavesItsHostUnchecked) {
  FleetReport report = sample_fleet(2, 2);
  report.units[3].rounds.clear();
  judge_fleet(report);
  EXPECT_EQ(report.pass_list, "node01");
  EXPECT_EQ(report.fail_list, "");
  EXPECT_EQ(report.hosts[1].verdict, FleetVerdict::Unchecked);
}

TEST(FleetRounds, NothingPassesInAJobThatEndedEarly) {
  FleetReport report = sample_fleet(2, 1);
  report.error = "a rank died";
  judge_fleet(report);
  EXPECT_EQ(report.pass_list, "");
  EXPECT_EQ(report.hosts[0].verdict, FleetVerdict::Unchecked);
}

TEST(FleetRounds, WhatTheRoundSaysIsJudgedNotItsName) {
  FleetReport wrong = sample_fleet(1, 1);
  wrong.units[0].rounds[0].scaled_residual = 17;  // "passed", by its document
  judge_fleet(wrong);
  EXPECT_EQ(wrong.fail_list, "node01");
  FleetReport open = sample_fleet(1, 1);
  open.units[0].rounds[0].scaled_residual.reset();
  judge_fleet(open);
  EXPECT_EQ(open.hosts[0].verdict, FleetVerdict::Unchecked);
}

TEST(FleetRounds, ARoundWithoutARateFails) {
  for (const double rate : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    FleetReport report = sample_fleet(1, 3);
    report.units[2].rounds[1].gflops = rate;
    judge_fleet(report);
    EXPECT_EQ(first_finding(report.units[2]), "round 2: no rate was measured") << rate;
    EXPECT_EQ(report.fail_list, "node01");
  }
}

TEST(FleetRounds, TheGateOnRpeakIsJudged) {
  FleetReport report = sample_fleet(2, 1);
  report.thresholds.gates.min_peak_efficiency = 90;
  for (FleetUnit& unit : report.units)
    for (FleetRound& round : unit.rounds)
      round.peak_gflops = 105;
  judge_fleet(report);
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  for (FleetRound& round : report.units[1].rounds)
    round.peak_gflops = 200;
  judge_fleet(report);
  EXPECT_EQ(report.fail_list, "node02");
  EXPECT_NE(first_finding(report.units[1]).find("--min-peak-efficiency 90 missed: 50"),
            std::string::npos)
      << first_finding(report.units[1]);
}

TEST(FleetRounds, TheGateOnSpreadLooksAtTheRanksOfAUnit) {
  FleetReport report = sample_fleet(2, 1);
  report.each = FleetUnitKind::Node;
  report.thresholds.gates.max_spread = 5;
  for (FleetUnit& unit : report.units) {
    unit.devices.push_back(unit.devices.front());
    unit.rounds.resize(1);
    unit.rounds[0].rank_gflops = {50, 51};
  }
  judge_fleet(report);
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  report.units[1].rounds[0].rank_gflops = {50, 60};
  judge_fleet(report);
  EXPECT_EQ(report.fail_list, "node02");
  EXPECT_NE(first_finding(report.units[1]).find("between the ranks of run 1"), std::string::npos)
      << first_finding(report.units[1]);
}

}  // namespace
}  // namespace hpl
