#include "hpl/fleet/report/fleet_actions.h"

#include <string>

#include <gtest/gtest.h>

#include "hpl/fleet/judge/fleet_verdict.h"
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

TEST(DeviceEvidence, NamesTheBoardWithItsFindingsAndFiguresBesidePeers) {
  FleetReport report = sample_fleet(2, 4);
  judge_fleet(report);
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

}  // namespace
}  // namespace hpl
