#include "hpl/run/page/run_findings.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/page/run_file.h"
#include "hpl/run/page/run_groups.h"
#include "unit/page/sample_job.h"
#include "unit/report/fixed_results.h"

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
  EXPECT_EQ(run_verdict(run), Verdict::Failed);
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

RunResult a_run(int index, double gflops, Verdict verdict = Verdict::Passed) {
  RunResult run = verdict == Verdict::Failed ? test::failing_run() : test::passing_run();
  if (verdict == Verdict::Unchecked) run.residual.reset();
  run.spec.order = 1000 + 100 * index;
  run.run_index = index;
  run.gflops = gflops;
  return run;
}

RunFile a_file(const std::string& name, std::vector<RunResult> runs) {
  RunFile file{.name = name};
  file.job.runs = std::move(runs);
  return file;
}

std::vector<Group> grouped(const std::vector<RunFile>& files) {
  const std::vector<std::string> names = short_names(files);
  std::vector<FileRuns> runs;
  for (std::size_t i = 0; i < files.size(); ++i)
    runs.push_back({names[i], files[i].job.runs});
  return group_runs(runs);
}

TEST(GroupRuns, PutsRepetitionsTogetherButNotFiles) {
  const std::vector<RunFile> files{a_file("a.json", {a_run(0, 5), a_run(0, 6), a_run(1, 7)}),
                                   a_file("b.json", {a_run(1, 8)})};
  const std::vector<Group> groups = grouped(files);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].runs.size(), 2U);
  EXPECT_EQ(groups[0].best().gflops, 6);
  EXPECT_EQ(groups[2].file, 1U);
}

TEST(GroupRuns, LabelsSayWhatDiffers) {
  const std::vector<RunFile> one{a_file("a.json", {a_run(0, 5), a_run(1, 7)})};
  EXPECT_EQ(grouped(one)[1].label, "N 1100");
  const std::vector<RunFile> two{a_file("x/a.json", {a_run(0, 5)}),
                                 a_file("x/b.json", {a_run(0, 7)})};
  EXPECT_EQ(grouped(two)[1].label, "b.json");
  const std::vector<RunFile> alone{a_file("a.json", {a_run(0, 5)})};
  EXPECT_EQ(grouped(alone)[0].label, "N 1000");
}

TEST(GroupRuns, OfNoRunsAreNone) {
  EXPECT_TRUE(grouped({a_file("a.json", {})}).empty());
}

TEST(Group, HasTheStatusOfItsWorstRepetition) {
  const std::vector<RunFile> files{
      a_file("a.json",
             {a_run(0, 5), a_run(0, 9, Verdict::Failed), a_run(0, 6, Verdict::Unchecked)}),
      a_file("b.json", {a_run(0, 5), a_run(0, 6, Verdict::Unchecked)})};
  const std::vector<Group> groups = grouped(files);
  EXPECT_EQ(groups[0].verdict(), Verdict::Failed);
  EXPECT_EQ(groups[0].best().gflops, 6) << "a failed run is not the best, however fast";
  EXPECT_EQ(groups[1].verdict(), Verdict::Unchecked);
}

TEST(GroupsInFull, AreTheFastestOfEveryFileThenThoseThatFailed) {
  std::vector<RunResult> runs;
  for (int i = 0; i < 20; ++i)
    runs.push_back(a_run(i, i == 7 ? 99 : i, i == 12 ? Verdict::Failed : Verdict::Passed));
  const std::vector<RunFile> files{a_file("a.json", runs), a_file("b.json", {a_run(0, 1)})};
  const std::vector<Group> groups = grouped(files);
  EXPECT_EQ(groups_in_full(groups, 3), (std::vector<std::size_t>{7, 12, 20}));
  EXPECT_EQ(groups_in_full(groups, 1), (std::vector<std::size_t>{7}));
  EXPECT_TRUE(groups_in_full(groups, 0).empty());
  EXPECT_EQ(groups_in_full(groups, 1000).size(), 21U);
  EXPECT_EQ(&fastest(groups), &groups[7]);
}

TEST(ShortNames, AreAsLongAsTheyMustBe) {
  const std::vector<RunFile> files{a_file("x/run.json", {}), a_file("y/run.json", {}),
                                   a_file("z/other.json", {})};
  EXPECT_EQ(short_names(files),
            (std::vector<std::string>{"x/run.json", "y/run.json", "other.json"}));
}

}  // namespace
}  // namespace hpl::page
