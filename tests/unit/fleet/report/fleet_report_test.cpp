#include "hpl/fleet/report/fleet_actions.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/fleet/judge/fleet_verdict.h"
#include "hpl/fleet/report/fleet_table.h"
#include "hpl/fleet/report/fleet_text.h"
#include "hpl/report/csv/run_table.h"
#include "support/holds.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"
#include "unit/fleet/sample_fleet.h"

namespace hpl {
namespace {

using test::sample_fleet;
using test::set_rates;

TEST(DrainCommands, AreOneForEachReasonAndNoneWithoutAFailedHost) {
  FleetReport report = sample_fleet(8, 2);
  set_rates(report.members[0], report.spec, {93, 93, 93});  // a warning
  judge_fleet(report);
  EXPECT_EQ(drain_commands(report), "");
  set_rates(report.members[6], report.spec, {75, 75, 75});
  set_rates(report.members[9], report.spec, {75, 75, 75});
  report.members[4].runs[0].residual->scaled = 99;
  report.hosts[6].devices = 1;
  report.thresholds.gates.min_gflops = 60;
  set_rates(report.members[14], report.spec, {100, 50, 100});
  report.hosts.push_back({{.name = "node09"}});
  judge_fleet(report);
  EXPECT_EQ(drain_commands(report),
            "scontrol update nodename=node03 state=drain reason=\"xhpl: wrong result\"\n"
            "scontrol update nodename=node[04-05] state=drain reason=\"xhpl: rate 25 % low\"\n"
            "scontrol update nodename=node07 state=drain reason=\"xhpl: devices missing\"\n"
            "scontrol update nodename=node08 state=drain reason=\"xhpl: gate missed\"\n"
            "scontrol update nodename=node09 state=drain reason=\"xhpl: no device, or no "
            "report\"\n");
}

TEST(DrainCommands, HaveTheWordForTheHardware) {
  FleetReport report = sample_fleet(4, 1);
  report.members[1].runs[0].devices[0].sensors.events.driver_errors = {79};
  report.members[2].runs[0].devices[0].sensors.events.counts = {{"remap_pending", 1}};
  report.members[3].runs[0].devices[0].sensors.events.counts = {{"rows_remapped", 1}};
  judge_fleet(report);
  EXPECT_EQ(
      drain_commands(report),
      "scontrol update nodename=node02 state=drain reason=\"xhpl: ISOLATE: driver errors "
      "(Xid)\"\n"
      "scontrol update nodename=node03 state=drain reason=\"xhpl: RESET: remappings of memory "
      "that wait for a reset\"\n");
  EXPECT_EQ(report.warn_list, "node04");
}

TEST(DrainCommands, LeaveOutANameThatAShellReadsMoreIn) {
  FleetReport report = sample_fleet(4, 1);
  const std::vector<std::string> names{"n1;id;#", "n$(id)", "n 2", "node_4.site-a"};
  for (std::size_t i = 0; i < names.size(); ++i)
    report.hosts[i].name = report.members[i].hosts[0] = names[i];
  for (FleetMember& member : report.members)
    member.runs[0].residual->scaled = 99;
  report.hosts.push_back({{.name = ""}});
  judge_fleet(report);
  EXPECT_EQ(drain_commands(report),
            "scontrol update nodename=node_4.site-a state=drain reason=\"xhpl: wrong result\"\n"
            "# left out: 4 hosts whose name has characters beyond A-Z a-z 0-9 . _ -\n");
}

TEST(DeviceEvidence, NamesTheBoardWithItsFindingsAndFiguresBesidePeers) {
  FleetReport report = test::judged_fleet(2, 4);
  EXPECT_EQ(device_evidence(report), "");
  set_rates(report.members[5], report.spec, {75, 75, 75});
  report.members[5].devices[0].health.pci_address = "0000:5d:00.0";
  judge_fleet(report);
  const std::string text = device_evidence(report);
  EXPECT_TRUE(text.starts_with(
      "node02 cuda 1: NVIDIA H100, serial number S5, PCI address 0000:5d:00.0, firmware 96.00, "
      "driver 550.1\n  slow: rate 75.00 GFLOP/s, 25."))
      << text;
  EXPECT_NE(text.find("\n  rate 75.00 GFLOP/s; of 8 members 75.00 to 100."), std::string::npos)
      << text;
}

/// Two hosts of a device each, judged; the first run of the first member has failed.
FleetReport judged_fleet() {
  FleetReport report = sample_fleet(2, 1);
  report.members[0].runs[0].residual = Residual{.scaled = 99, .passed = false};
  judge_fleet(report);
  return report;
}

TEST(FleetTable, HasTheColumnsThatFilesInUseHave) {
  EXPECT_EQ(fleet_table().header,
            "started,version,member,hosts,kind,serial,verdict,findings,variant,arithmetic,matrix,n,"
            "nb,p,q,threshold,runs,residual,median_gflops,gflops,worst_run_percent,drift_percent,"
            "efficiency_percent,clock_mhz,power_watts,temperature_celsius,throttled_percent,"
            "corrected_errors,job,labels\n");
}

TEST(FleetTable, HasARowForEachMember) {
  const std::vector<std::string> rows = fleet_rows(judged_fleet());
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(
      rows[0].starts_with("2023-11-14T22:13:20Z,1.2.3,node01 cuda 0,node01,NVIDIA H100,S0,"
                          "failed,"))
      << rows[0];
  EXPECT_NE(rows[0].find("the scaled residual 99 is not below 16"), std::string::npos) << rows[0];
  EXPECT_TRUE(rows[1].find(",node02,NVIDIA H100,S1,passed,,WR") != std::string::npos) << rows[1];
  EXPECT_NE(rows[1].find(",FP64,device,20000,256,1,1,16,3,0.0025,"), std::string::npos) << rows[1];
}

TEST(FleetTable, HasNoPassedMemberInAFleetThatWasCutOff) {
  FleetReport report = judged_fleet();
  report.error = "ended from outside";
  const std::vector<std::string> rows = fleet_rows(report);
  EXPECT_NE(rows[0].find(",failed,"), std::string::npos) << rows[0];
  EXPECT_NE(rows[1].find(",not checked,ended from outside,"), std::string::npos) << rows[1];
}

TEST(FleetTable, LabelsArithmeticAndPlaceOfTheMatrix) {
  FleetReport report = sample_fleet(1, 1);
  test::change_spec(report, [](RunSpec& spec) {
    spec.emulated_moduli = 14;
    spec.matrix = MatrixRequest::Host;
  });
  judge_fleet(report);
  const std::string row = fleet_rows(report).front();
  EXPECT_TRUE(test::holds(row, {"\"FP64 emulated by 14 INT8 products, Ozaki II\",host,"}));
}

TEST(FleetTable, HasARowForAHostWithoutAMember) {
  FleetReport report = sample_fleet(1, 1);
  report.hosts.push_back({{.name = "node09"}});
  report.hosts.back().verdict = Verdict::Missing;
  const std::vector<std::string> rows = fleet_rows(report);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NE(rows[1].find(",node09,node09,,,missing,"), std::string::npos) << rows[1];
}

TEST(FleetTable, LeavesEmptyWhatIsNotKnown) {
  FleetReport report = sample_fleet(1, 1);
  report.members[0].runs[0].residual->scaled = std::numeric_limits<double>::quiet_NaN();
  const std::string row = fleet_rows(report).front();
  EXPECT_NE(row.find(",16,3,,,,"), std::string::npos) << row;
}

TEST(FleetTable, IsNoTableOfRuns) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path file = directory / "table.csv";
  CsvFile(file, run_table()).append({"a\n"});
  EXPECT_TRUE(test::holds(
      test::message_of<ConfigError>([&] { CsvFile table(file, fleet_table()); }),
      {"must begin with the columns that this program writes (started,version,member,...)"}));
}

TEST(FleetTable, TakesAllRowsInOnePiece) {
  const test::TemporaryDirectory directory;
  const CsvFile table(directory / "fleets.csv", fleet_table());
  table.append({"a\n", "b\n"});
  table.append({"c\n"});
  EXPECT_EQ(directory.read("fleets.csv"), fleet_table().header + "a\nb\nc\n");
}

TEST(FleetText, NamesAnArithmeticThatIsNotPlain) {
  FleetReport report = test::sample_fleet(1, 1);
  EXPECT_EQ(fleet_head(report).find("arithmetic"), std::string::npos);
  report.spec.emulated_moduli = 14;
  EXPECT_NE(fleet_head(report).find("\narithmetic: FP64 emulated by 14 INT8 products"),
            std::string::npos)
      << fleet_head(report);
}

TEST(FleetText, HostsThatAreNotCheckedHaveTheirLine) {
  FleetReport report = test::judged_fleet(3, 1);
  EXPECT_TRUE(
      fleet_text(report).ends_with("\n3 of 3 hosts passed: node[01-03]\n0 of 3 hosts failed\n"))
      << fleet_text(report);
  report.members[1].runs[0].residual.reset();
  judge_fleet(report);
  EXPECT_TRUE(fleet_text(report).ends_with(
      "\n2 of 3 hosts passed: node[01,03]\n0 of 3 hosts failed\n1 of 3 hosts not checked: "
      "node02\n"))
      << fleet_text(report);
}

TEST(FleetText, AWarningHasItsSectionAndItsLine) {
  FleetReport report = test::judged_fleet(3, 1, {{1, {93, 93, 93}}});
  const std::string text = fleet_text(report, {.detail = Detail::Verdict});
  EXPECT_TRUE(text.starts_with("\nWarnings\n  node02 cuda 0: rate 93.00 GFLOP/s")) << text;
  EXPECT_TRUE(
      text.ends_with("\n2 of 3 hosts passed: node[01,03]\n1 of 3 hosts warned: node02\n0 of "
                     "3 hosts failed\n"))
      << text;
  EXPECT_NE(fleet_text(report, {.color = true}).find("\x1b[33mWARNED\x1b[0m\n"), std::string::npos);
}

TEST(FleetText, SaysThatOtherProcessesTookTheCores) {
  FleetReport report = sample_fleet(4, 1);
  for (const std::size_t member : {1U, 2U})
    test::disturb(report.members[member], 0.94, 3);
  judge_fleet(report);
  const std::string text = fleet_text(report, {.detail = Detail::Verdict});
  EXPECT_TRUE(test::holds(
      text,
      {"\nWarnings\n  node02 cuda 0: disturbed, measure again: other processes took up to 94 % of "
       "the cores of node02 (3 of 3 runs)\n",
       "\n\n# remark: the rates are no measure of these devices: other processes took up to 94 % "
       "of "
       "the cores of node[02-03] (6 of 6 runs)\n"
       "2 of 4 hosts passed: node[01,04]\n2 of 4 hosts warned: node[02-03]\n"}));
  EXPECT_NE(fleet_rows(report)[1].find(",warned,\"disturbed, measure again: "), std::string::npos)
      << fleet_rows(report)[1];
}

}  // namespace
}  // namespace hpl
