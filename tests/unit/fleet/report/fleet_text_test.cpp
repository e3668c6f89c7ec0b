#include "hpl/fleet/report/fleet_text.h"

#include <string>

#include <gtest/gtest.h>

#include "hpl/fleet/judge/fleet_verdict.h"
#include "unit/fleet/sample_fleet.h"

namespace hpl {
namespace {

TEST(FleetText, NamesAnArithmeticThatIsNotPlain) {
  FleetReport report = test::sample_fleet(1, 1);
  EXPECT_EQ(fleet_head(report).find("arithmetic"), std::string::npos);
  report.spec.emulated_moduli = 14;
  EXPECT_NE(fleet_head(report).find("\narithmetic: FP64 emulated by 14 INT8 products"),
            std::string::npos)
      << fleet_head(report);
}

TEST(FleetText, HostsThatAreNotCheckedHaveTheirLine) {
  FleetReport report = test::sample_fleet(3, 1);
  judge_fleet(report);
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
  FleetReport report = test::sample_fleet(3, 1);
  test::set_rates(report.members[1], report.spec, {93, 93, 93});
  judge_fleet(report);
  const std::string text = fleet_text(report, {.detail = Detail::Verdict});
  EXPECT_TRUE(text.starts_with("\nWarnings\n  node02 cuda 0: rate 93.00 GFLOP/s")) << text;
  EXPECT_TRUE(
      text.ends_with("\n2 of 3 hosts passed: node[01,03]\n1 of 3 hosts warned: node02\n0 of "
                     "3 hosts failed\n"))
      << text;
  EXPECT_NE(fleet_text(report, {.color = true}).find("\x1b[33mWARNED\x1b[0m\n"), std::string::npos);
}

}  // namespace
}  // namespace hpl
