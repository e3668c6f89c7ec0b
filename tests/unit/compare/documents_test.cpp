#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/compare/compare.h"
#include "hpl/run/report/json_report.h"
#include "sample_sides.h"
#include "unit/report/fixed_results.h"

namespace hpl {
namespace {

using test::sample_fleet;
using test::side_of;

/// A fleet's host by itself.
FleetReport of_host(FleetReport fleet, const std::string& name) {
  std::erase_if(fleet.hosts, [&](const FleetHost& host) { return host.name != name; });
  std::erase_if(fleet.members, [&](const FleetMember& member) { return member.hosts[0] != name; });
  return fleet;
}

TEST(Snapshots, OfOneJobANodeAreOneSide) {
  const FleetReport fleet = sample_fleet(2, 1);
  Snapshot all = side_of(of_host(fleet, "node01"), "node01.json", 10);
  join(all, side_of(of_host(fleet, "node02"), "node02.json"));
  EXPECT_EQ(all.trials.size(), 1U);
  EXPECT_EQ(all.side.members, 2);
  EXPECT_EQ(all.side.hosts, 2);
  EXPECT_EQ(all.side.started.seconds, fleet.started.seconds);
}

TEST(Snapshots, ARunOfTwoDocumentsCountsOnce) {
  const FleetReport fleet = sample_fleet(2, 1);
  Snapshot all = side_of(fleet, "fleet.json");
  join(all, side_of(of_host(fleet, "node02"), "node02.json"));
  EXPECT_EQ(all.trials[0].members[1].runs.size(), 3U);
  join(all, side_of(of_host(fleet, "node02"), "later.json", 600));
  EXPECT_EQ(all.trials[0].members[1].runs.size(), 6U);
}

TEST(Snapshots, OfAHistoryAreDocumentsOfADayWithoutACommonMember) {
  const FleetReport fleet = sample_fleet(2, 1);
  std::vector<Snapshot> documents;
  for (const double later : {test::kMonth, 0.0})
    for (const char* const host : {"node01", "node02"})
      documents.push_back(side_of(of_host(fleet, host), host, later));
  documents.push_back(side_of(of_host(fleet, "node01"), "again", 3600));
  const std::vector<Snapshot> times = by_date(std::move(documents));
  ASSERT_EQ(times.size(), 3U);
  EXPECT_EQ(times[0].side.members, 2);
  EXPECT_EQ(times[1].side.files, std::vector<std::string>{"again"});
  EXPECT_EQ(times[0].side.name, "2023-11-14 23:13");
  EXPECT_EQ(times[2].side.members, 2);
}

TEST(Snapshots, OfAJobHasATrialForEachRunOfItsPlan) {
  JobReport job{.header = test::fixed_header(), .exit_code = ExitCode::Passed};
  for (int i = 0; i < 2; ++i) {
    RunResult run = test::passing_run();
    run.run_index = i;
    run.spec.order += i;
    job.plan.push_back(run.spec);
    job.runs.push_back(run);
  }
  const auto read = snapshot_of(parse_json("run.json", to_json(job), "the test"), "run.json");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->trials.size(), 2U);
  EXPECT_EQ(read->trials[1].spec.order, job.plan[1].order);
  EXPECT_EQ(read->trials[1].members.size(), 1U);
  EXPECT_FALSE(read->trials[1].each);
}

TEST(Snapshots, LeaveOutARunThatItsJobDidNotCheck) {
  JobReport job{.header = test::fixed_header(), .exit_code = ExitCode::Broken, .error = "killed"};
  job.plan = {test::passing_run().spec};
  job.runs = {test::passing_run(), test::passing_run()};
  job.runs[1].repeat_index = 1;
  job.runs[1].residual.reset();
  const auto read = snapshot_of(parse_json("run.json", to_json(job), "the test"), "run.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->trials.at(0).members.at(0).runs.size(), 1U);
  EXPECT_EQ(read->early_ends,
            std::vector<std::string>{"run.json: its job ended early: killed; a run that it had not "
                                     "checked is left out"});
}

TEST(Snapshots, OfAJobThatIsAloneAreComparedWhereverItRan) {
  JobReport job{.header = test::fixed_header(), .exit_code = ExitCode::Passed};
  job.plan = {test::passing_run().spec};
  job.runs = {test::passing_run()};
  std::vector<Snapshot> sides;
  for (const char* const host : {"one", "other"}) {
    job.header.environment = {{"host", host}};
    sides.push_back(*snapshot_of(parse_json(host, to_json(job), "the test"), host));
  }
  const Comparison comparison = compare_sides(std::move(sides), {});
  ASSERT_EQ(comparison.runs.size(), 1U);
  EXPECT_EQ(comparison.runs[0].members.size(), 1U);
}

/// Documents of two months in a folder of the test's own.
class Folders : public testing::Test {
 protected:
  Folders() {
    std::filesystem::remove_all(folder_);
    FleetReport fleet = sample_fleet(2, 1);
    write("may/node01.json", of_host(fleet, "node01"));
    write("may/deep/node02.json", of_host(fleet, "node02"));
    fleet.started.seconds += test::kMonth;
    write("june/fleet.json", fleet);
  }
  ~Folders() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, FleetReport fleet) {
    judge_fleet(fleet);
    fleet.exit_code = exit_code_of(fleet);
    write_text(name, fleet_json(fleet));
  }
  void write_text(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("compare_test_" + std::to_string(getpid()));
};

TEST_F(Folders, AreSidesWithAllThatIsBelowThem) {
  const Comparison comparison = compare_documents({.paths = {path("may"), path("june")}});
  ASSERT_EQ(comparison.sides.size(), 2U);
  EXPECT_EQ(comparison.sides[0].files.size(), 2U);
  EXPECT_EQ(comparison.runs.at(0).members.size(), 2U);
}

TEST_F(Folders, AreAHistoryByTheDatesOfTheirDocuments) {
  const Comparison comparison = compare_documents({.paths = {path("")}, .history = true});
  ASSERT_EQ(comparison.sides.size(), 2U);
  EXPECT_EQ(comparison.sides[0].members, 2);
  EXPECT_LT(comparison.sides[0].started.seconds, comparison.sides[1].started.seconds);
}

TEST_F(Folders, OfACampaignAreOneDateHoweverLongItTook) {
  FleetReport late = of_host(sample_fleet(3, 1), "node03");
  late.started.seconds += 3 * 86'400;
  write("may/whole.json", late);
  const CompareRequest request{.paths = {path("may"), path("june")}, .history = true};
  EXPECT_EQ(compare_documents(request).sides.size(), 3U);
  write_text("may/campaign.txt", "");
  const Comparison comparison = compare_documents(request);
  ASSERT_EQ(comparison.sides.size(), 2U);
  EXPECT_TRUE(comparison.history);
  EXPECT_EQ(
      comparison.sides[0].files,
      (std::vector{path("may/deep/node02.json"), path("may/node01.json"), path("may/whole.json")}));
}

TEST_F(Folders, PassOverDocumentsOfOtherKinds) {
  write_text("june/rates.json", R"({"schema_version": 1, "kind": "rates"})");
  const Comparison comparison = compare_documents({.paths = {path("may"), path("june")}});
  ASSERT_FALSE(comparison.remarks.empty());
  EXPECT_EQ(comparison.remarks.back().text,
            "passed over, without figures: " + path("june/rates.json"));
}

TEST_F(Folders, NameAJobThatDiedBeforeItsFirstRun) {
  JobReport job{.header = test::fixed_header(), .exit_code = ExitCode::Broken};
  job.error = "no device";
  write_text("june/whole.json", to_json(job));
  const Comparison comparison = compare_documents({.paths = {path("may"), path("june")}});
  EXPECT_EQ(comparison.ended_early,
            std::vector<std::string>{path("june/whole.json") + ": its job ended early: no device"});
  EXPECT_EQ(comparison.exit_code, ExitCode::Failed);
}

std::string refusal(const CompareRequest& request) {
  try {
    compare_documents(request);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

TEST_F(Folders, WithoutARunAreRefusedAndSoIsAnotherDocument) {
  write_text("rates/rates.json", R"({"schema_version": 1, "kind": "rates"})");
  EXPECT_EQ(refusal({.paths = {path("may"), path("rates")}}),
            path("rates") +
                " must hold a report of runs (xhpl run --json), of a fleet or of a check, found "
                "none with a figure");
  EXPECT_EQ(refusal({.paths = {path("may"), path("rates/rates.json")}}),
            path("rates/rates.json") +
                " must be a report of runs (xhpl run --json), of a fleet, a check or a campaign, "
                "or a log "
                "of HPL with rows of results, found another document");
  EXPECT_EQ(refusal({.paths = {path("june")}, .history = true}),
            "a history needs reports of two times or more, found those of one");
  write_text("may/half.json", "{");
  EXPECT_TRUE(refusal({.paths = {path("may"), path("june")}}).starts_with(path("may/half.json")));
}

}  // namespace
}  // namespace hpl
