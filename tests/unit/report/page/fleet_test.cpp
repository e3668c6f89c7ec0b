#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/report/json/fleet_json.h"
#include "hpl/report/page/page.h"
#include "report/page/findings.h"
#include "report/page/fleet_history.h"
#include "report/page/fleet_section.h"
#include "report/page/report_application.h"
#include "unit/report/sample_fleet.h"

namespace hpl::page {
namespace {

namespace fs = std::filesystem;

/// Four hosts with two devices each, the second device of node03 at 70 % of its peers.
FleetReport fleet_with_a_slow_device() {
  FleetReport fleet = test::sample_fleet(4, 2);
  test::set_rates(fleet.units[5], fleet.spec.order, {70, 70.5, 70.2});
  judge_fleet(fleet);
  fleet.exit_code = exit_code_of(fleet);
  return fleet;
}

RunFile file_of(const FleetReport& fleet, const std::string& name = "fleet.json") {
  return parse_run_file(name, fleet_json(fleet));
}

TEST(FleetPage, ShowsMapListsReasonsAndDistribution) {
  const RunFile file = file_of(fleet_with_a_slow_device());
  ASSERT_TRUE(file.fleet);
  EXPECT_EQ(verdict_of(file), Verdict::Failed);
  const std::string page = build_page({&file, 1}, {});
  for (const char* piece :
       {"<h1>Fleet of 4 hosts</h1>", "3 of 4 hosts passed", "Each device for itself, N = 20000",
        "class=\"cell h4 fault\" title=\"node03 cuda 1: ", "<code>node[01-02,04]</code>",
        "<code>node03</code>", "The worst, with their reasons", "Distribution of NVIDIA H100",
        "<td>S5</td>"})
    EXPECT_NE(page.find(piece), std::string::npos) << piece;
  EXPECT_EQ(page.find("What drifted"), std::string::npos) << "one acceptance has no history";
}

TEST(FleetPage, NamesAnArithmeticThatIsNotPlain) {
  FleetReport fleet = test::sample_fleet(2, 2);
  fleet.spec.emulated_moduli = 14;
  judge_fleet(fleet);
  fleet.exit_code = exit_code_of(fleet);
  const RunFile file = file_of(fleet);
  const std::string page = build_page({&file, 1}, {});
  EXPECT_NE(page.find("<li>tail update in FP64 emulated by 14 INT8 products"), std::string::npos);
  EXPECT_NE(fleet_section({&file, 1}).find("FP64 emulated by 14 INT8 products"), std::string::npos);
}

TEST(FleetPage, OfAFleetThatIsNotCheckedSaysSo) {
  FleetReport fleet = test::sample_fleet(2, 2);
  fleet.units[1].rounds[0].status = RunStatus::Unchecked;
  judge_fleet(fleet);
  fleet.exit_code = exit_code_of(fleet);
  EXPECT_EQ(verdict_of(file_of(fleet)), Verdict::Unchecked);
  fleet.units[3].rounds[0].status = RunStatus::Failed;
  judge_fleet(fleet);
  EXPECT_EQ(verdict_of(file_of(fleet)), Verdict::Failed);
}

TEST(FleetPage, NamesChecksumsThatDisagree) {
  FleetReport fleet = test::sample_fleet(2, 2);
  fleet.units[1].rounds[0].checksums =
      ChecksumResult{.comparisons = 2, .faults = {{.rank = 1, .last_step = 3, .rows = 1}}};
  judge_fleet(fleet);
  const RunFile file = file_of(fleet);
  EXPECT_NE(fleet_section({&file, 1}).find("<li>round 1: checksums: disagree after"),
            std::string::npos);
}

TEST(FleetPage, OfHostsWithoutDevicesNamesThem) {
  FleetReport fleet = test::sample_fleet(4, 2);
  fleet.hosts.push_back({.name = "node05", .ranks = 0, .devices = 0});
  judge_fleet(fleet);
  fleet.exit_code = exit_code_of(fleet);
  const RunFile file = file_of(fleet);
  const std::string html = fleet_section({&file, 1});
  EXPECT_NE(html.find("<th scope=\"row\">node05</th><td class=\"cell fault\">none</td>"),
            std::string::npos);
}

TEST(FleetPage, EscapesWhatFilesHold) {
  FleetReport fleet = test::sample_fleet(3, 1);
  fleet.units[0].name = "<b>&";
  judge_fleet(fleet);
  const RunFile file = file_of(fleet);
  EXPECT_EQ(fleet_section({&file, 1}).find("<b>&"), std::string::npos);
}

TEST(FleetPage, ShowsPowerOfNodes) {
  FleetReport fleet = fleet_with_a_slow_device();
  fleet.power = FleetPower{.source = "pdu.csv",
                           .scope = {},
                           .meters = {{.core_seconds = 90, .watts = 4000, .gflops_per_watt = 2},
                                      {.host = "node01", .watts = 1000, .gflops_per_watt = 2.2},
                                      {.host = "node02", .watts = 2000, .gflops_per_watt = 1.8},
                                      {.host = "node03", .watts = 1000, .gflops_per_watt = 2}},
                           .level = 1,
                           .missing = {"sampling: more"},
                           .remarks = {"a <line>"}};
  const RunFile file = file_of(fleet);
  const std::string html = fleet_section({&file, 1});
  for (const char* const piece :
       {"Meter: pdu.csv. Level 1 of 3", "a &lt;line&gt;", "<li>sampling: more</li>",
        "<th scope=\"row\">All</th><td class=\"n\">4000.0</td>", "<td class=\"n h3\">-10.0</td>"})
    EXPECT_NE(html.find(piece), std::string::npos) << piece << html;
}

TEST(FleetPage, OfNodesShowsThoseThatMadeNoRun) {
  FleetReport fleet = test::sample_fleet(3, 1);
  fleet.each = FleetUnitKind::Node;
  fleet.hosts.push_back({.name = "node04"});
  judge_fleet(fleet);
  const RunFile file = file_of(fleet);
  EXPECT_NE(fleet_section({&file, 1}).find("<span>node04</span>none"), std::string::npos);
}

TEST(FleetHistory, NamesTheUnitThatLostAgainstItsPeers) {
  FleetReport old = test::sample_fleet(4, 2), now = test::sample_fleet(4, 2);
  now.started.seconds += 86400.0 * 30;
  // All lose 2 % by a driver, one loses 8 %.
  for (FleetUnit& unit : now.units)
    for (FleetRound& round : unit.rounds)
      round.gflops *= unit.name == "node02 cuda 0" ? 0.92 : 0.98;
  judge_fleet(old);
  judge_fleet(now);
  const FleetReport* const both[] = {&now, &old};
  const FleetHistory history = fleet_history(both);
  ASSERT_EQ(history.fleets.size(), 2U);
  EXPECT_EQ(history.fleets.front(), &old) << "in the order of time";
  ASSERT_FALSE(history.drifts.empty());
  EXPECT_EQ(history.drifts.front().unit, "node02 cuda 0");
  EXPECT_NEAR(history.drifts.front().percent, -8, 1e-6);
  EXPECT_NEAR(history.drifts.front().against_peers, -6, 1e-6);
  EXPECT_NEAR(history.drifts.at(1).against_peers, 0, 1e-6);
}

TEST(FleetHistory, KnowsWhatIsGoneAndWhatIsNew) {
  FleetReport old = test::sample_fleet(4, 1), now = test::sample_fleet(4, 1);
  now.started.seconds += 1000;
  old.units.pop_back();
  now.units.erase(now.units.begin());
  judge_fleet(old);
  judge_fleet(now);
  const FleetReport* const both[] = {&old, &now};
  const FleetHistory history = fleet_history(both);
  EXPECT_EQ(history.gone, std::vector<std::string>{"node01 cuda 0"});
  EXPECT_EQ(history.added, std::vector<std::string>{"node04 cuda 0"});
}

TEST(FleetPage, OfSeveralAcceptancesShowsWhatDrifted) {
  FleetReport old = test::sample_fleet(4, 2), now = test::sample_fleet(4, 2);
  now.started.seconds += 86400.0 * 30;
  for (FleetRound& round : now.units[2].rounds)
    round.gflops *= 0.9;
  judge_fleet(old);
  judge_fleet(now);
  old.exit_code = ExitCode::Failed;
  now.exit_code = ExitCode::Passed;
  const RunFile files[] = {file_of(old, "may.json"), file_of(now, "june.json")};
  EXPECT_EQ(verdict_of(files), Verdict::Passed) << "the newest counts";
  const std::string html = fleet_section(files);
  EXPECT_NE(html.find("What drifted over the acceptances"), std::string::npos);
  EXPECT_NE(html.find("<th scope=\"row\">node02 cuda 0</th><td class=\"n h3\">-10.0 %</td>"),
            std::string::npos)
      << html;
}

class MergedFleets : public testing::Test {
 protected:
  MergedFleets() {
    std::string name = (fs::temp_directory_path() / "merge-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) directory_ = name;
  }
  ~MergedFleets() override {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream stream(path(name));
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static int run(std::vector<std::string> words) {
    words.insert(words.begin(), "xhpl-report");
    std::vector<const char*> argv;
    for (const std::string& word : words)
      argv.push_back(word.c_str());
    return run_report_application(static_cast<int>(argv.size()), argv.data());
  }

  fs::path directory_;
};

TEST_F(MergedFleets, AreOneFleetThatIsJudgedAnew) {
  const FleetReport whole = fleet_with_a_slow_device();
  std::vector<std::string> words{"--merge", "-o", path("all.json")};
  for (const FleetHost& host : whole.hosts) {
    FleetReport one = whole;
    std::erase_if(one.hosts, [&](const FleetHost& other) { return other.name != host.name; });
    std::erase_if(one.units,
                  [&](const FleetUnit& unit) { return unit.hosts.front() != host.name; });
    judge_fleet(one);
    one.exit_code = exit_code_of(one);
    write(host.name + ".json", fleet_json(one));
    words.push_back(path(host.name + ".json"));
  }
  ASSERT_EQ(run(words), 0);
  const RunFile merged = read_run_file(path("all.json"));
  ASSERT_TRUE(merged.fleet);
  EXPECT_EQ(merged.fleet->hosts.size(), 4U);
  EXPECT_EQ(merged.fleet->units.size(), 8U);
  EXPECT_EQ(merged.fleet->fail_list, "node03");
  EXPECT_EQ(merged.exit_code, 1);
}

TEST_F(MergedFleets, HaveTheHostsThatWereExpectedListsAndPower) {
  FleetReport fleet = test::sample_fleet(3, 1);
  judge_fleet(fleet);
  fleet.exit_code = exit_code_of(fleet);
  write("a.json", fleet_json(fleet));
  const std::string first = fmt::format("{:.0f}", fleet.units[0].rounds[0].started.seconds);
  const std::string last = fmt::format("{:.0f}", fleet.units[0].rounds[2].ended.seconds + 1);
  write("pdu.csv", "time,node01,node02,node03\n" + first + ",10,20,30\n" + last + ",10,20,30\n");
  ASSERT_EQ(
      run({"--merge", "--expect-hosts", "node[01-04]", "--pass-list", path("good"), "--fail-list",
           path("bad"), "--power-log", path("pdu.csv"), path("a.json"), "-o", path("all.json")}),
      0);
  EXPECT_EQ(read("good"), "node[01-03]\n");
  EXPECT_EQ(read("bad"), "node04\n");
  const RunFile merged = read_run_file(path("all.json"));
  ASSERT_TRUE(merged.fleet->power);
  EXPECT_EQ(merged.fleet->power->meters.size(), 4U);
  EXPECT_NEAR(merged.fleet->power->meters[0].watts, 60, 1e-9);

  testing::internal::CaptureStderr();
  EXPECT_EQ(run({"--merge", "--power-log", path("pdu.csv"), "--power-offset", "86400",
                 path("a.json"), "-o", path("all.json")}),
            2);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("shift its clock with --power-offset"),
            std::string::npos);
  EXPECT_EQ(run({path("all.json"), "-o", path("page.html")}), 0);
  EXPECT_NE(read("page.html").find("Meter: "), std::string::npos);
  testing::internal::CaptureStderr();
  EXPECT_EQ(run({path("all.json"), "--power-scope", "fraction=1", "-o", path("page.html")}), 2);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("--power-scope of a fleet"),
            std::string::npos);
}

TEST_F(MergedFleets, AreOfFleetsAlone) {
  write("run.json", R"({"schema_version": 1, "program": {"name": "xhpl"}, "runs": []})");
  write("all.json", "old");
  testing::internal::CaptureStderr();
  EXPECT_EQ(run({"--merge", "-o", path("all.json"), path("run.json")}), 2);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("--merge unites reports of xhpl --each"),
            std::string::npos);
  EXPECT_EQ(read("all.json"), "old");
}

}  // namespace
}  // namespace hpl::page
