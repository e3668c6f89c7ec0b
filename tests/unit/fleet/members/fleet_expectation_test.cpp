#include "fleet/members/fleet_expectation.h"

#include <string>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/input/command_line/options.h"
#include "support/message_of.h"
#include "unit/fleet/sample_fleet.h"

namespace hpl {
namespace {

/// Members of one H200 each, and one that no sheet names.
FleetReport fleet() {
  FleetReport report = test::sample_fleet(1, 3);
  report.spec.order = 90'000;
  report.spec.block_size = 1024;
  for (FleetMember& member : report.members)
    member.kind = member.devices[0].model = "NVIDIA H200";
  report.members[2].kind = report.members[2].devices[0].model = "Abacus 3000";
  return report;
}

RunSettings settings_of(const RunSpec& spec) {
  Facts facts{.kind = ProcessorKind::Gpu,
              .shares_host_memory = false,
              .factorizes_panels = true,
              .threads = 14,
              .cores = 14};
  facts.memory.device.bytes = facts.memory.host.bytes = 140'000'000'000;
  return decide(spec, facts, {});
}

TEST(FleetExpectation, IsOfEachKindThatASheetNames) {
  FleetReport report = fleet();
  const RunSettings settings = settings_of(report.spec);
  add_expectations(report, kKnownSheet, &settings);
  ASSERT_EQ(report.expectations.size(), 1U);
  EXPECT_EQ(report.expectations[0].kind, "NVIDIA H200");
  EXPECT_NEAR(report.expectations[0].expected.gflops, 51'600, 1'000);
  ASSERT_EQ(report.header.remarks.size(), 1U);
  EXPECT_EQ(report.header.remarks[0].text,
            "--expect auto: no data sheet tells the rate of this run on Abacus 3000");
}

TEST(FleetExpectation, NeedsTheSettingsOfAMember) {
  FleetReport report = fleet();
  add_expectations(report, kKnownSheet, nullptr);
  EXPECT_TRUE(report.expectations.empty());
  EXPECT_EQ(report.header.remarks.size(), 2U);
}

TEST(FleetExpectation, RefusesAFileThatIsNotThere) {
  FleetReport report = fleet();
  EXPECT_NE(test::message_of<ConfigError>([&] {
              add_expectations(report, "missing.json", nullptr);
            }).find("missing.json"),
            std::string::npos);
}

}  // namespace
}  // namespace hpl
