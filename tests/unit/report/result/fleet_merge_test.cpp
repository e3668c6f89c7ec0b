#include "hpl/report/result/fleet_merge.h"

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

TEST(FleetMerge, AJobOfSeveralHostsThatWasCutOffAccusesNone) {
  FleetReport job = test::sample_fleet(3, 2);
  const FleetReport merged = merge_fleets({job});
  EXPECT_EQ(merged.fail_list, "");
  ASSERT_EQ(merged.header.remarks.size(), 1U);
  EXPECT_EQ(merged.header.remarks[0], "node[01-03]: its job did not come to its end");
}

TEST(FleetMerge, LaterRoundsOfAUnitFollowTheEarlierOnes) {
  FleetReport first = test::sample_fleet(1, 3), second = first;
  second.started.seconds += 1000;
  const FleetReport merged = merge_fleets({second, first});
  ASSERT_EQ(merged.units.size(), 3U);
  ASSERT_EQ(merged.units[0].rounds.size(), 6U);
  EXPECT_EQ(merged.units[0].rounds[5].round, 5);
}

TEST(FleetMerge, OtherRunsAreRefused) {
  FleetReport first = test::sample_fleet(1, 3), second = first;
  second.spec.order = 30'000;
  EXPECT_THROW(merge_fleets({first, second}), ConfigError);
}

TEST(FleetMerge, AThousandJobsAreOneFleet) {
  const FleetReport merged = merge_fleets(one_by_one(test::sample_fleet(1000, 1)));
  EXPECT_EQ(merged.units.size(), 1000U);
  EXPECT_EQ(merged.exit_code, ExitCode::Passed);
}

}  // namespace
}  // namespace hpl
