#include "hpl/report/result/fleet_merge.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "../sample_fleet.h"
#include "hpl/base/error/error.h"

namespace hpl {
namespace {

/// A report of every host by itself.
std::vector<FleetReport> one_by_one(const FleetReport& fleet) {
  std::vector<FleetReport> reports;
  FleetReport alone = fleet;
  alone.hosts.clear();
  alone.units.clear();
  auto unit = fleet.units.begin();
  for (const FleetHost& host : fleet.hosts) {
    FleetReport report = alone;
    report.hosts = {host};
    for (; unit != fleet.units.end() && unit->hosts[0] == host.name; ++unit)
      report.units.push_back(*unit);
    judge_fleet(report);
    report.exit_code = exit_code_of(report);
    reports.push_back(std::move(report));
  }
  return reports;
}

TEST(FleetMerge, JobsOfSingleNodesAreJudgedAsOneFleet) {
  FleetReport fleet = test::sample_fleet(5, 2);
  for (std::size_t i = 4; i < 6; ++i)
    test::set_rates(fleet.units[i], fleet.spec.order, {50, 50, 50});
  const std::vector<FleetReport> jobs = one_by_one(fleet);
  for (const FleetReport& job : jobs)
    EXPECT_EQ(exit_code_of(job), ExitCode::Passed) << "by itself a node has nothing to be slow to";
  const FleetReport merged = merge_fleets(jobs);
  EXPECT_EQ(merged.fail_list, "node03");
  EXPECT_EQ(merged.exit_code, ExitCode::Failed);
  EXPECT_EQ(merged.units.size(), 10U);
}

TEST(FleetMerge, AJobThatNeverReportedIsAMissingHost) {
  const FleetReport merged =
      merge_fleets(one_by_one(test::sample_fleet(3, 2)), {"node01", "node02", "node03", "node04"});
  EXPECT_EQ(merged.fail_list, "node04");
  EXPECT_EQ(merged.hosts.back().verdict, FleetVerdict::Missing);
}

TEST(FleetMerge, AHostMayBeExpectedWithoutItsDomain) {
  FleetReport fleet;
  fleet.hosts = {{.name = "node01.site"}, {.name = "10.0.0.1"}};
  expect_hosts(fleet, {"node01", "node01.site", "node02", "node02", "10.0.0.1"});
  ASSERT_EQ(fleet.hosts.size(), 3U);
  EXPECT_EQ(fleet.hosts[2].name, "node02");
}

TEST(FleetMerge, AHostWhoseJobWasCutOffHasFailedHoweverGoodItsRoundsWere) {
  std::vector<FleetReport> jobs = one_by_one(test::sample_fleet(4, 2));
  jobs[1].exit_code.reset();
  jobs[2].exit_code = ExitCode::Broken;
  jobs[2].error = "a rank died\n  rank 0 on node03: was busy";
  const FleetReport merged = merge_fleets(jobs);
  EXPECT_EQ(merged.fail_list, "node[02-03]");
  EXPECT_EQ(merged.hosts[1].findings.at(0).text, "its job did not come to its end");
  EXPECT_EQ(merged.hosts[2].findings.at(0).text, "its job ended early: a rank died");
  EXPECT_FALSE(merged.error) << "the merged report is whole";
}

TEST(FleetMerge, HostsOfAJobThatWasCutOffAreNeitherSoundNorToBlame) {
  for (const auto& [code, error] :
       {std::pair<std::optional<ExitCode>, std::optional<std::string>>{std::nullopt, std::nullopt},
        {ExitCode::Broken, std::nullopt},
        {ExitCode::Broken, "a rank died"}}) {
    FleetReport job = test::sample_fleet(3, 2);
    job.exit_code = code;
    job.error = error;
    judge_fleet(job);
    const FleetReport merged = merge_fleets({job});
    EXPECT_EQ(merged.exit_code, ExitCode::Failed);
    EXPECT_EQ(merged.pass_list, "");
    EXPECT_EQ(merged.fail_list, "");
    const std::string what =
        error ? "its job ended early: a rank died" : "its job did not come to its end";
    ASSERT_EQ(merged.header.remarks.size(), 1U);
    EXPECT_EQ(merged.header.remarks[0], "node[01-03]: " + what);
    EXPECT_EQ(merged.hosts[0].verdict, FleetVerdict::Unchecked);
    EXPECT_EQ(merged.hosts[0].findings.at(0).text, what);
    EXPECT_EQ(merge_fleets({merged}).pass_list, "") << "merging again makes nobody sound";
  }
}

TEST(FleetMerge, LaterRoundsOfAUnitFollowTheEarlierOnes) {
  FleetReport first = test::sample_fleet(1, 3), second = first;
  second.started.seconds += 1000;
  for (FleetUnit& unit : second.units)
    for (FleetRound& round : unit.rounds)
      round.started.seconds += 1000;
  const FleetReport merged = merge_fleets({second, first});
  ASSERT_EQ(merged.units.size(), 3U);
  ASSERT_EQ(merged.units[0].rounds.size(), 6U);
  EXPECT_EQ(merged.units[0].rounds[5].round, 5);
}

TEST(FleetMerge, AReportGivenTwiceCountsOnce) {
  const std::vector<FleetReport> jobs = one_by_one(test::sample_fleet(3, 2));
  std::vector<FleetReport> twice = jobs;
  twice.push_back(jobs[1]);
  twice.push_back(merge_fleets(jobs));
  const FleetReport merged = merge_fleets(twice);
  for (const FleetUnit& unit : merged.units)
    EXPECT_EQ(unit.rounds.size(), 3U) << unit.name;
  ASSERT_EQ(merged.header.remarks.size(), 1U);
  EXPECT_EQ(merged.header.remarks[0],
            "24 round(s) stand in more than one of the reports, and count once");
  EXPECT_EQ(merged.exit_code, ExitCode::Passed);
}

TEST(FleetMerge, OtherRunsAreRefused) {
  const FleetReport first = test::sample_fleet(1, 3);
  const auto refusal = [&](const FleetReport& second) -> std::string {
    try {
      merge_fleets({first, second});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  FleetReport second = first;
  second.spec.order = 30'000;
  EXPECT_EQ(refusal(second),
            "fleets of one merged report must have made the same run, found N = 20000 and N = "
            "30000");
  second = first;
  second.each = FleetUnitKind::Node;
  EXPECT_NE(refusal(second).find("--each device and --each node"), std::string::npos);
  second = first;
  second.spec.emulated_moduli = 14;
  EXPECT_NE(refusal(second).find("found arithmetic FP64 and arithmetic FP64 emulated by 14"),
            std::string::npos)
      << refusal(second);
  second = first;
  second.spec.threshold = 1e300;
  EXPECT_NE(refusal(second).find("threshold"), std::string::npos) << refusal(second);
}

TEST(FleetMerge, GatesAreKeptInEitherOrder) {
  std::vector<FleetReport> jobs = one_by_one(test::sample_fleet(2, 2));
  for (const std::size_t gated : {0U, 1U}) {
    std::vector<FleetReport> reports = jobs;
    reports[1].started.seconds += 1;
    reports[gated].thresholds.gates.min_gflops = 1e6;
    judge_fleet(reports[gated]);
    reports[gated].exit_code = exit_code_of(reports[gated]);
    ASSERT_EQ(reports[gated].exit_code, ExitCode::Failed);
    const FleetReport merged = merge_fleets(reports);
    EXPECT_EQ(merged.pass_list, "");
    EXPECT_EQ(merged.exit_code, ExitCode::Failed);
    EXPECT_EQ(merged.thresholds.gates.min_gflops, 1e6);
    ASSERT_EQ(merged.header.remarks.size(), 1U);
    EXPECT_EQ(merged.header.remarks[0],
              "the jobs had different limits: the strictest of each counts for all hosts");
  }
}

TEST(FleetMerge, TheStrictestOfEachLimitCounts) {
  std::vector<FleetReport> jobs = one_by_one(test::sample_fleet(2, 2));
  jobs[0].thresholds = {
      .tolerance = 4, .spreads = 3, .gates = {.min_efficiency = 10, .max_spread = 900}};
  jobs[1].thresholds = {
      .tolerance = 5, .spreads = 2, .gates = {.min_efficiency = 20, .min_peak_efficiency = 1}};
  const FleetThresholds merged = merge_fleets(jobs).thresholds;
  EXPECT_EQ(merged.tolerance, 4);
  EXPECT_EQ(merged.spreads, 2);
  EXPECT_EQ(merged.gates.min_efficiency, 20);
  EXPECT_EQ(merged.gates.min_peak_efficiency, 1);
  EXPECT_EQ(merged.gates.max_spread, 900);
  EXPECT_FALSE(merged.gates.min_gflops);
}

TEST(FleetMerge, AHostThatFailedInItsOwnJobDoesNotPass) {
  std::vector<FleetReport> jobs = one_by_one(test::sample_fleet(3, 2));
  jobs[1].hosts[0].verdict = FleetVerdict::Failed;
  jobs[1].hosts[0].findings = {{.text = "slower than its reference"}};
  jobs[1].exit_code = ExitCode::Failed;
  jobs[2].hosts[0].verdict = FleetVerdict::Unchecked;
  jobs[2].exit_code = ExitCode::Failed;
  const FleetReport merged = merge_fleets(jobs);
  EXPECT_EQ(merged.fail_list, "node02");
  EXPECT_EQ(merged.pass_list, "node01");
  EXPECT_EQ(merged.hosts[1].findings.at(0).text,
            "failed in its own job: slower than its reference");
  const FleetReport again = merge_fleets({merged});
  EXPECT_EQ(again.fail_list, "node02");
  EXPECT_EQ(again.hosts[1].findings.at(0).text, merged.hosts[1].findings.at(0).text);
}

TEST(FleetMerge, TheReferenceOfALaterJobIsNotLost) {
  std::vector<FleetReport> jobs = one_by_one(test::sample_fleet(3, 2));
  FleetReport fast = test::sample_fleet(3, 2);
  for (FleetUnit& unit : fast.units)
    test::set_rates(unit, fast.spec.order, {200, 200, 200});
  judge_fleet(fast);
  jobs[1].started.seconds += 1;
  jobs[1].reference = FleetReference{.source = "site.json", .kinds = fast.kinds};
  const FleetReport merged = merge_fleets(jobs);
  ASSERT_TRUE(merged.reference);
  EXPECT_EQ(merged.fail_list, "node[01-03]");
}

TEST(FleetMerge, TheFewestDevicesThatAHostShowedCount) {
  FleetReport first = test::sample_fleet(3, 2), second = first;
  second.started.seconds += 1000;
  second.hosts[1].devices = 1;
  EXPECT_EQ(merge_fleets({first, second}).fail_list, "node02");
}

TEST(FleetMerge, MoreRanksThanCanBeCountedAreRefused) {
  FleetReport first = test::sample_fleet(1, 1), second = first;
  first.hosts[0].ranks = second.hosts[0].ranks = kMostFleetRanks - 1;
  EXPECT_THROW(merge_fleets({first, second}), ConfigError);
}

TEST(FleetMerge, AThousandJobsAreOneFleet) {
  const FleetReport merged = merge_fleets(one_by_one(test::sample_fleet(1000, 1)));
  EXPECT_EQ(merged.units.size(), 1000U);
  EXPECT_EQ(merged.exit_code, ExitCode::Passed);
}

}  // namespace
}  // namespace hpl
