#include <algorithm>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/record/record.h"
#include "hpl/check/findings/check_report.h"
#include "hpl/compare/compare.h"
#include "sample_sides.h"
#include "unit/check/findings/made_up_cluster.h"

namespace hpl {
namespace {

using test::side_of_check;

Comparison compared(std::vector<RankRecord> may, std::vector<RankRecord> june) {
  std::vector<Snapshot> sides;
  sides.push_back(side_of_check(std::move(may)));
  sides.push_back(side_of_check(std::move(june), test::kMonth));
  return compare_sides(std::move(sides), {});
}

/// "node000 cuda 1: host_dgemm" of every figure that became worse.
std::vector<std::string> worse(const Comparison& comparison) {
  std::vector<std::string> found;
  for (const ComparedRun& run : comparison.runs)
    for (const ComparedMember& member : run.members)
      for (const FigureChange& change : member.points.back().changes)
        if (change.verdict == ChangeVerdict::Worse)
          found.push_back(member.points.back().name + ": " + std::string(info(change.figure).name));
  return found;
}

TEST(ComparedChecks, HaveALineForEachRankAndLink) {
  const Comparison same = compared(test::sound_cluster(3, 2), test::sound_cluster(3, 2));
  ASSERT_EQ(same.runs.size(), 1U);
  EXPECT_TRUE(same.runs[0].check);
  EXPECT_EQ(same.runs[0].members.size(), 6U + 3U) << "ranks, and pairs of nodes";
  EXPECT_EQ(std::ranges::count_if(same.runs[0].members,
                                  [](const auto& member) { return member.points[0].link; }),
            3);
  EXPECT_EQ(same.sides[0].members, 6);
  EXPECT_EQ(same.sides[0].hosts, 3);
  EXPECT_EQ(same.exit_code, ExitCode::Passed);
  EXPECT_EQ(comparison_tally(same),
            "Figures of checks, 33 in all: 0 worse, 0 better, 33 within the noise");
}

TEST(ComparedChecks, NameWhatBecameWorseByMoreThanACheckAllows) {
  std::vector<RankRecord> june = test::sound_cluster(3, 2);
  test::figure(june, Figure::HostDgemm, 1) *= 0.94;
  test::figure(june, Figure::DeviceMemory, 2) *= 0.96;
  test::figure(june, Figure::NodeBandwidth, 0, 4) *= 0.75;
  test::figure(june, Figure::NodeLatency, 2, 4) *= 1.3;
  const Comparison comparison = compared(test::sound_cluster(3, 2), june);
  EXPECT_EQ(worse(comparison), (std::vector<std::string>{"node000 - node002: node_bandwidth",
                                                         "node000 cuda 1: host_dgemm"}));
  EXPECT_EQ(comparison.exit_code, ExitCode::Passed) << "as for other figures beside the rate";
  const std::string text = comparison_text(comparison, Figure::Gflops, {});
  EXPECT_NE(text.find("\nEach rank and link: pre-flight check\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  node000 - node002: MPI bandwidth, nodes 23."), std::string::npos) << text;
  EXPECT_NE(text.find("\nFigures of checks, 33 in all: 2 worse, 0 better, 31 within the noise\n"),
            std::string::npos)
      << text;
}

TEST(ComparedChecks, CallALongerLatencyWorse) {
  std::vector<RankRecord> june = test::sound_cluster(3, 2);
  test::figure(june, Figure::NodeLatency, 0, 2) += 25;
  EXPECT_EQ(worse(compared(test::sound_cluster(3, 2), june)),
            std::vector<std::string>{"node000 - node001: node_latency"});
  EXPECT_TRUE(worse(compared(june, test::sound_cluster(3, 2))).empty());
}

TEST(ComparedChecks, KeepRanksOfOneDeviceApart) {
  std::vector<RankRecord> may = test::sound_cluster(3, 2);
  for (RankRecord& rank : may)
    rank.device = "cuda 0";
  std::vector<RankRecord> june = may;
  test::figure(june, Figure::HostDgemm, 3) *= 0.94;
  const Comparison comparison = compared(may, june);
  EXPECT_EQ(worse(comparison), std::vector<std::string>{"node001 cuda 0 (2): host_dgemm"});
  EXPECT_TRUE(comparison.lost.empty());
}

TEST(ComparedChecks, MissARankAndNotItsLinks) {
  std::vector<RankRecord> june = test::sound_cluster(2, 2);
  const Comparison comparison = compared(test::sound_cluster(3, 2), june);
  EXPECT_EQ(comparison.lost, (std::vector<std::string>{"node002 cuda 0", "node002 cuda 1"}));
  EXPECT_EQ(comparison.exit_code, ExitCode::Failed);
  const std::string text = comparison_text(comparison, Figure::Gflops, {});
  EXPECT_NE(text.find("Only in A: node002 cuda 0, node002 cuda 1\n"), std::string::npos) << text;
}

TEST(ComparedChecks, TellWhoHasAFaultThatItHadNot) {
  std::vector<RankRecord> june = test::sound_cluster(3, 2);
  june[3].health.uncorrected_errors = 2;
  const Comparison comparison = compared(test::sound_cluster(3, 2), june);
  EXPECT_EQ(comparison.wrong, std::vector<std::string>{"node001 cuda 1"});
  EXPECT_EQ(comparison.exit_code, ExitCode::Failed);
}

TEST(ComparedChecks, LeaveOutCrowdedCoresAndRanksThatShareThem) {
  std::vector<RankRecord> june = test::sound_cluster(3, 1);
  test::figure(june, Figure::HostDgemm, 1) /= 2;
  const auto worse_than_may = [&](const std::vector<int>& crowded_cores) {
    std::vector<Snapshot> sides;
    sides.push_back(side_of_check(test::sound_cluster(3, 1)));
    sides.push_back(side_of_check(june, test::kMonth, crowded_cores));
    return worse(compare_sides(std::move(sides), {}));
  };
  EXPECT_EQ(worse_than_may({0}), std::vector<std::string>{"node001 cuda 0: host_dgemm"});
  EXPECT_EQ(worse_than_may({0, 1}), std::vector<std::string>());
  for (RankRecord& rank : june)
    rank.oversubscribed = true;
  EXPECT_TRUE(side_of_check(june).trials.empty());
}

TEST(ComparedChecks, OfADocumentWhoseRanksAreNotThereAreRefused) {
  const auto refused = [](int rank, int peer) {
    std::vector<RankRecord> ranks = test::sound_cluster(3, 1);
    CheckDocument document{.program = {"xhpl", "1.2.3"}, .exit_code = ExitCode::Passed};
    document.check = judge(CheckForm::Full, ranks, {0.05});
    document.check.ranks[1].rank = rank;
    document.check.ranks[0].measurements.back().peer = peer;
    const std::string text = json_text(to_json_value(document));
    try {
      return snapshot_of(parse_json("check.json", text, "the test"), "check.json") ? 0 : -1;
    } catch (const ConfigError&) {
      return 1;
    }
  };
  EXPECT_EQ(refused(1, 2), 0);
  EXPECT_EQ(refused(1, 3), 1);
  EXPECT_EQ(refused(2, 2), 1);
  EXPECT_EQ(refused(1'000'000, 2), 1);
}

TEST(ComparedChecks, OfManyNodesHaveTheMedianOfEachNode) {
  std::vector<RankRecord> june = test::sound_cluster(3, 1);
  for (RankRecord& rank : june)
    for (Measurement& measured : rank.measurements)
      measured.peer = kNoPeer;
  Snapshot side = side_of_check(test::sound_cluster(3, 1));
  side.trials = {trial_of({.tolerance = 0.05, .ranks = june})};
  ASSERT_EQ(side.trials[0].members.size(), 3U);
  EXPECT_TRUE(side.trials[0].members[0].figures[Figure::NodeBandwidth]);
}

TEST(ComparedChecks, OfManyDatesAreATableOfEachFigure) {
  std::vector<Snapshot> sides;
  for (const double month : {0.0, 1.0, 2.0})
    sides.push_back(side_of_check(test::sound_cluster(3, 1), month * test::kMonth));
  Comparison comparison = compare_sides(by_date(std::move(sides)), {});
  comparison.history = true;
  ASSERT_EQ(comparison.sides.size(), 3U);
  const std::string medians = comparison_text(comparison, Figure::Gflops, {});
  for (const char* const row : {"host DGEMM, a core, GFLOP/s", "MPI bandwidth, nodes, GB/s",
                                "median of NVIDIA H200", "median of links between nodes"})
    EXPECT_NE(medians.find(row), std::string::npos) << row << medians;
  EXPECT_EQ(medians.find("  -  "), std::string::npos) << "no kind without the figure" << medians;
  EXPECT_EQ(medians.find("\nnode000 - node001  "), std::string::npos) << medians;
  const std::string one = comparison_text(comparison, Figure::NodeBandwidth, {});
  EXPECT_NE(one.find("\nnode000 - node001  "), std::string::npos) << one;
  EXPECT_EQ(one.find("host DGEMM"), std::string::npos) << one;
}

TEST(ComparedChecks, HaveColumnsThatOtherComparisonsHaveNot) {
  const std::string checks =
      comparison_csv(compared(test::sound_cluster(3, 1), test::sound_cluster(3, 1)));
  EXPECT_NE(checks.find(",node_bandwidth,node_bandwidth_change,"), std::string::npos);
  EXPECT_LT(checks.find(",gflops,"), checks.find(",host_dgemm,")) << "where they were";
  EXPECT_NE(checks.find(",check,"), std::string::npos);
  EXPECT_EQ(std::ranges::count(checks, '\n'), 1 + 2 * (3 + 3));
  const FleetReport fleet = test::sample_fleet(2, 1);
  EXPECT_EQ(comparison_csv(test::compared(fleet, fleet)).find("node_bandwidth"), std::string::npos);
}

}  // namespace
}  // namespace hpl
