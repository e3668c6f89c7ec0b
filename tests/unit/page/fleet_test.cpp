#include <fmt/format.h>
#include <gtest/gtest.h>

#include "commands/report/report_application.h"
#include "hpl/fleet/judge/fleet_json.h"
#include "hpl/fleet/page/fleet_part.h"
#include "hpl/page/verdict.h"
#include "sample_job.h"
#include "support/holds.h"
#include "support/temporary_directory.h"

namespace hpl::page {
namespace {

TEST(FleetVerdict, OfAFleetThatIsNotCheckedSaysSo) {
  FleetReport fleet = test::sample_fleet(2, 2);
  fleet.members[1].runs[0].residual.reset();
  judge_fleet(fleet);
  fleet.exit_code = exit_code_of(fleet);
  EXPECT_EQ(verdict_of(test::sample_file(fleet)), Verdict::Unchecked);
  fleet.members[3].runs[0].residual->passed = false;
  judge_fleet(fleet);
  EXPECT_EQ(verdict_of(test::sample_file(fleet)), Verdict::Failed);
}

TEST(FleetVerdict, OfAFleetWithAWarningSaysSo) {
  FleetReport fleet = test::judged_fleet(3, 2, {{3, {93, 93, 93}}});
  EXPECT_EQ(verdict_of(test::sample_file(fleet)), Verdict::Warned);
  const std::vector<const FleetReport*> fleets{&fleet};
  EXPECT_EQ(fleet_tally(fleets), "2 of 3 hosts passed, 1 warned");
  EXPECT_TRUE(test::holds(fleet_section(fleets), {"Warned</th><td>node02<"}));
}

TEST(FleetVerdict, OfSeveralAcceptancesIsThatOfTheNewest) {
  FleetReport old = test::sample_fleet(4, 2), now = old;
  now.started.seconds += 86400.0 * 30;
  old.exit_code = ExitCode::Failed;
  now.exit_code = ExitCode::Passed;
  const RunFile files[] = {test::sample_file(now), test::sample_file(old)};
  EXPECT_EQ(verdict_of(files), Verdict::Passed);
}

TEST(FleetVerdict, OfDevicesAndNodesIsTheWorstOfBoth) {
  FleetReport devices = test::fleet_with_a_slow_device(), nodes = test::sample_fleet(4, 2);
  nodes.each = FleetMemberKind::Node;
  nodes.started.seconds += 600;
  judge_fleet(nodes);
  nodes.exit_code = exit_code_of(nodes);
  const RunFile files[] = {test::sample_file(devices), test::sample_file(nodes)};
  EXPECT_EQ(verdict_of(files), Verdict::Slow);
  const std::vector<const FleetReport*> fleets{&devices, &nodes};
  EXPECT_EQ(fleet_tally(fleets), "3 of 4 hosts passed by device, 4 of 4 hosts passed by node");
  const std::string html = fleet_section(fleets);
  EXPECT_TRUE(test::holds(html, {"<h2>Fleet: each device</h2>", "<h2>Fleet: each node</h2>",
                                 "id=\"fleet-device\"", "id=\"fleet-node\"", "state=drain"}));
  const auto groups = by_member(fleets);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[1].size(), 1U) << "a run of nodes is none of devices";
}

class MergedFleets : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  static int run(std::vector<std::string> words) {
    words.insert(words.begin(), "xhpl-report");
    std::vector<const char*> argv;
    for (const std::string& word : words)
      argv.push_back(word.c_str());
    return run_report_application(static_cast<int>(argv.size()), argv.data());
  }

  test::TemporaryDirectory directory_;
};

TEST_F(MergedFleets, AreOneFleetThatIsJudgedAnew) {
  const FleetReport whole = test::fleet_with_a_slow_device();
  std::vector<std::string> words{"--merge", "-o", path("all.json")};
  for (const FleetHost& host : whole.hosts) {
    FleetReport one = whole;
    std::erase_if(one.hosts, [&](const FleetHost& other) { return other.name != host.name; });
    std::erase_if(one.members,
                  [&](const FleetMember& member) { return member.hosts.front() != host.name; });
    judge_fleet(one);
    one.exit_code = exit_code_of(one);
    directory_.write(host.name + ".json", fleet_json(one));
    words.push_back(path(host.name + ".json"));
  }
  ASSERT_EQ(run(words), 4) << "a host is slow";
  const RunFile merged = read_run_file(path("all.json"));
  ASSERT_TRUE(merged.fleet);
  EXPECT_EQ(merged.fleet->hosts.size(), 4U);
  EXPECT_EQ(merged.fleet->members.size(), 8U);
  EXPECT_EQ(merged.fleet->fail_list, "node03");
  EXPECT_EQ(merged.job.exit_code, ExitCode::Slow);
}

TEST_F(MergedFleets, HaveTheHostsThatWereExpectedListsAndPower) {
  FleetReport fleet = test::judged_fleet(3, 1);
  directory_.write("a.json", fleet_json(fleet));
  const std::string first = fmt::format("{:.0f}", begin_of(fleet.members[0].runs[0]));
  const std::string last = fmt::format("{:.0f}", begin_of(fleet.members[0].runs[2]) + 20);
  directory_.write("pdu.csv",
                   "time,node01,node02,node03\n" + first + ",10,20,30\n" + last + ",10,20,30\n");
  ASSERT_EQ(
      run({"--merge", "--expect-hosts", "node[01-04]", "--pass-list", path("good"), "--fail-list",
           path("bad"), "--power-log", path("pdu.csv"), path("a.json"), "-o", path("all.json")}),
      1)
      << "a host is missing";
  EXPECT_EQ(directory_.read("good"), "node[01-03]\n");
  EXPECT_EQ(directory_.read("bad"), "node04\n");
  const RunFile merged = read_run_file(path("all.json"));
  ASSERT_TRUE(merged.fleet->power);
  EXPECT_EQ(merged.fleet->power->meters.size(), 4U);
  EXPECT_NEAR(merged.fleet->power->meters[0].watts, 60, 1e-9);

  testing::internal::CaptureStderr();
  EXPECT_EQ(run({"--merge", "--power-log", path("pdu.csv"), "--power-offset", "86400",
                 path("a.json"), "-o", path("all.json")}),
            2);
  EXPECT_TRUE(
      test::holds(testing::internal::GetCapturedStderr(), {"shift its clock with --power-offset"}));
  EXPECT_EQ(run({path("all.json"), "-o", path("page.html")}), 0);
  EXPECT_TRUE(test::holds(directory_.read("page.html"), {R"("source":")" + path("pdu.csv")}));
  testing::internal::CaptureStderr();
  EXPECT_EQ(run({path("all.json"), "--power-scope", "fraction=1", "-o", path("page.html")}), 2);
  EXPECT_TRUE(test::holds(testing::internal::GetCapturedStderr(), {"--power-scope of a fleet"}));
}

TEST_F(MergedFleets, AreOfRunsAlone) {
  directory_.write("all.json", "old");
  for (const auto& [document, message] :
       {std::pair{R"({"schema_version": 1, "program": {"name": "xhpl"}, "preflight": {}})",
                  "must be a report of xhpl --json with runs, or of xhpl fleet, to be merged"},
        {R"({"schema_version": 1, "program": {"version": "0.1"}, "fleet": {"units": []}})",
         "schema_version must be 3 (xhpl 0.1 wrote it), found 1"}}) {
    directory_.write("other.json", document);
    testing::internal::CaptureStderr();
    EXPECT_EQ(run({"--merge", "-o", path("all.json"), path("other.json")}), 2);
    const std::string errors = testing::internal::GetCapturedStderr();
    EXPECT_NE(errors.find(message), std::string::npos) << errors;
    EXPECT_EQ(directory_.read("all.json"), "old");
  }
}

}  // namespace
}  // namespace hpl::page
