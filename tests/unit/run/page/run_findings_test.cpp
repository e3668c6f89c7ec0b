#include "hpl/run/page/run_findings.h"

#include <gtest/gtest.h>

#include "unit/page/sample_job.h"

namespace hpl::page {
namespace {

TEST(Findings, NameTheRankThatMultipliesSlowlyAndItsHost) {
  const auto findings = findings_of(test::cluster_run(6));
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0],
            "rank 5 on node1 took 20.0 % longer for its matrix products than the median rank: "
            "2.40 s against 2.00 s");
}

TEST(Findings, HoldWhatTheDevicesShowed) {
  bool hot = false;
  for (const std::string& finding : findings_of(test::cluster_run(6)))
    hot = hot || finding.find("hotter than 85 C: rank 5 on node1") != std::string::npos;
  EXPECT_TRUE(hot);
}

TEST(Findings, NameTheZeroPivot) {
  EXPECT_EQ(findings_of(test::singular_run()).at(0),
            "no usable pivot in column 17 (counted from 0)");
}

TEST(Findings, NameChecksumsThatDisagreeAndTheRunIsFailed) {
  RunResult run = test::cluster_run(2);
  run.checksums =
      ChecksumResult{.faults = {{.rank = 1, .first_step = 2, .last_step = 2, .rows = 4}}};
  EXPECT_EQ(run_status(run), RunStatus::Failed);
  EXPECT_TRUE(findings_of(run).at(0).starts_with(
      "checksums: disagree after step 2 on rank 1 on node0, cuda 1: 4"));
}

TEST(Findings, OfAnEvenRunAreNone) {
  RunResult run = test::cluster_run(6);
  run.rank_phases.back() = run.rank_phases.front();
  run.devices.clear();
  EXPECT_TRUE(findings_of(run).empty());
}

TEST(Findings, SayNothingOfDifferencesThatDoNotMatterToTheRun) {
  RunResult run = test::cluster_run(6);
  run.devices.clear();
  for (PhaseTimes& times : run.rank_phases)
    times[Phase::Multiply] /= 100;  // 20 % of little
  EXPECT_TRUE(findings_of(run).empty());
}

TEST(Findings, JudgeNoRankOfARunOfMilliseconds) {
  RunResult run = test::cluster_run(6);
  run.devices.clear();
  run.seconds /= 1000;
  for (PhaseTimes& times : run.rank_phases)
    times[Phase::Multiply] /= 1000;
  EXPECT_TRUE(findings_of(run).empty());
}

}  // namespace
}  // namespace hpl::page
