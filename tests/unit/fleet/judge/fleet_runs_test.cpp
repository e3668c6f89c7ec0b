#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "hpl/fleet/judge/fleet_verdict.h"
#include "unit/fleet/sample_fleet.h"

namespace hpl {
namespace {

using test::sample_fleet;

std::string first_finding(const FleetMember& member) {
  return member.findings.empty() ? "" : member.findings.front().text;
}

TEST(FleetRuns, ChecksumsThatDisagreeFailTheirUnitAndAreNamed) {
  FleetReport report = sample_fleet(3, 1);
  RunResult& run = report.members[1].runs[2];
  run.checksums = ChecksumResult{.interval = 1,
                                 .comparisons = 9,
                                 .faults = {{.rank = 0,
                                             .first_step = 3,
                                             .last_step = 3,
                                             .rows = 1,
                                             .first_row = 50,
                                             .difference = 1e-10,
                                             .tolerance = 1e-12}}};
  judge_fleet(report);
  EXPECT_EQ(report.members[1].verdict, Verdict::Failed) << "its residual is small";
  EXPECT_EQ(first_finding(report.members[1]),
            "run 3: checksums: disagree after step 3 on rank 0 on node02, cuda 0: 1 row, the "
            "first is row 50, by up to 1.000e-10 where rounding stays below 1.000e-12");
  EXPECT_EQ(report.pass_list, "node[01,03]");
  EXPECT_EQ(report.fail_list, "node02");
  EXPECT_EQ(exit_code_of(report), ExitCode::Failed);
}

TEST(FleetRuns, EveryReasonOfARunIsAFinding) {
  FleetReport report = sample_fleet(1, 2);
  RunResult& run = report.members[1].runs[0];
  run.residual->samples = {.rows = 8, .wrong = 1};
  run.solution_hash = 1;
  run.differs_from = 2;
  judge_fleet(report);
  ASSERT_EQ(report.members[1].findings.size(), 2U);
  EXPECT_TRUE(first_finding(report.members[1]).starts_with("run 1: b - A x is wrong in 1 of 8"))
      << first_finding(report.members[1]);
  EXPECT_TRUE(report.members[1].findings[1].text.starts_with("run 1: the solution has other bits"));
  EXPECT_EQ(report.fail_list, "node01");
}

TEST(FleetRuns, ChecksumsThatAgreeAreCounted) {
  FleetReport report = sample_fleet(1, 2);
  for (FleetMember& member : report.members)
    for (RunResult& run : member.runs)
      run.checksums = ChecksumResult{.interval = 4, .comparisons = 5};
  report.members[0].runs[1].checksums->comparisons = 0;
  judge_fleet(report);
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  ASSERT_EQ(report.remarks.size(), 2U);
  EXPECT_EQ(report.remarks[0].text, "checksums: compared 25 times in 6 runs");
  EXPECT_EQ(report.remarks[1].text,
            "checksums: compared 0 times in 1 of these runs, so they show nothing there");
}

TEST(FleetRuns, ASecondFactorizationIsTold) {
  FleetReport report = sample_fleet(1, 1);
  RunResult& run = report.members[0].runs[0];
  run.residual->scaled = 1e6;
  run.checksums = ChecksumResult{.interval = 1, .comparisons = 78, .repeated = true};
  judge_fleet(report);
  ASSERT_EQ(report.members[0].findings.size(), 2U);
  EXPECT_EQ(first_finding(report.members[0]), "run 1: the scaled residual 1e+06 is not below 16");
  EXPECT_EQ(report.members[0].findings[1].severity, Severity::Remark);
  EXPECT_TRUE(report.members[0].findings[1].text.starts_with(
      "run 1: checksums: second factorization: agree, compared 78 times"))
      << report.members[0].findings[1].text;
}

TEST(FleetRuns, AHostWhoseSolutionsWereNotCheckedIsInNeitherList) {
  FleetReport report = sample_fleet(3, 1);
  report.members[1].runs[1].residual.reset();
  judge_fleet(report);
  EXPECT_EQ(report.members[1].verdict, Verdict::Unchecked);
  EXPECT_EQ(report.hosts[1].verdict, Verdict::Unchecked);
  EXPECT_EQ(report.pass_list, "node[01,03]");
  EXPECT_EQ(report.fail_list, "");
  EXPECT_EQ(exit_code_of(report), ExitCode::Failed);
  ASSERT_EQ(report.remarks.size(), 1U);
  EXPECT_EQ(report.remarks[0].text, "1 of 9 solutions were not checked");
}

TEST(FleetRuns, AMemberThatMadeNoRunLeavesItsHostUnchecked) {
  FleetReport report = sample_fleet(2, 2);
  report.members[3].runs.clear();
  judge_fleet(report);
  EXPECT_EQ(report.pass_list, "node01");
  EXPECT_EQ(report.fail_list, "");
  EXPECT_EQ(report.hosts[1].verdict, Verdict::Unchecked);
}

TEST(FleetRuns, NothingPassesInAJobThatEndedEarly) {
  FleetReport report = sample_fleet(2, 1);
  report.error = "a rank died";
  judge_fleet(report);
  EXPECT_EQ(report.pass_list, "");
  EXPECT_EQ(report.hosts[0].verdict, Verdict::Unchecked);
}

TEST(FleetRuns, WhereMembersGaveNoAnswerTheOthersKeepTheirVerdicts) {
  FleetReport report = sample_fleet(4, 1);
  report.error = "no answer from ranks 1 and 2";
  report.members[1].state = MemberState::Silent;
  report.members[2].state = MemberState::Silent;
  report.members[2].runs.clear();
  report.members[3].state = MemberState::AtWork;
  judge_fleet(report);
  EXPECT_EQ(report.pass_list, "node01");
  EXPECT_EQ(report.fail_list, "node[02-03]");
  EXPECT_EQ(report.members[2].verdict, Verdict::Failed);
  EXPECT_EQ(first_finding(report.members[1]),
            "gave no answer in the end: dead, stopped or cut off");
  EXPECT_EQ(report.hosts[3].verdict, Verdict::Unchecked) << "its run was cut off";
}

TEST(FleetRuns, AMemberThatWasAtWorkWhenTheJobEndedEarlyHasNotFailed) {
  FleetReport report = sample_fleet(2, 1);
  report.error = "no answer from rank 1";
  report.members[0].state = MemberState::AtWork;
  report.members[0].runs.clear();
  report.members[1].state = MemberState::Silent;
  judge_fleet(report);
  EXPECT_EQ(report.fail_list, "node02");
  EXPECT_EQ(report.hosts[0].verdict, Verdict::Unchecked);
}

TEST(FleetRuns, AResidualIsComparedWithTheThresholdWhateverItsFlagSays) {
  FleetReport wrong = sample_fleet(1, 1);
  wrong.members[0].runs[0].residual = Residual{.scaled = 17, .passed = true};
  judge_fleet(wrong);
  EXPECT_EQ(wrong.fail_list, "node01");
}

TEST(FleetRuns, ARunWithoutARateFails) {
  for (const double rate : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    FleetReport report = sample_fleet(1, 3);
    report.members[2].runs[1].gflops = rate;
    judge_fleet(report);
    EXPECT_EQ(first_finding(report.members[2]), "run 2: no rate was measured") << rate;
    EXPECT_EQ(exit_code_of(report), ExitCode::Failed);
    EXPECT_EQ(report.fail_list, "node01");
  }
}

TEST(FleetRuns, TheGateOnRpeakIsJudged) {
  FleetReport report = sample_fleet(2, 1);
  report.thresholds.gates.min_peak_efficiency = 90;
  for (FleetMember& member : report.members)
    for (RunResult& run : member.runs)
      run.peak = PeakRate{.gflops = 105, .source = "its clock"};
  judge_fleet(report);
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  for (RunResult& run : report.members[1].runs)
    run.peak->gflops = 200;
  judge_fleet(report);
  EXPECT_EQ(report.fail_list, "node02");
  EXPECT_EQ(exit_code_of(report), ExitCode::Slow);
  EXPECT_NE(first_finding(report.members[1]).find("--min-peak-efficiency 90 missed: 50"),
            std::string::npos)
      << first_finding(report.members[1]);
}

TEST(FleetRuns, TheGateOnSpreadLooksAtTheRanksOfAUnit) {
  FleetReport report = sample_fleet(2, 1);
  report.each = FleetMemberKind::Node;
  report.thresholds.gates.max_spread = 5;
  for (FleetMember& member : report.members) {
    member.devices.push_back(member.devices.front());
    member.runs.resize(1);
    member.runs[0].rank_gflops = {50, 51};
  }
  judge_fleet(report);
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  report.members[1].runs[0].rank_gflops = {50, 60};
  judge_fleet(report);
  EXPECT_EQ(report.fail_list, "node02");
  EXPECT_NE(first_finding(report.members[1]).find("between the ranks of run 1"), std::string::npos)
      << first_finding(report.members[1]);
}

}  // namespace
}  // namespace hpl
