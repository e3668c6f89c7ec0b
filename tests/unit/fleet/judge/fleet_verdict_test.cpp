#include "hpl/fleet/judge/fleet_verdict.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "support/holds.h"
#include "unit/fleet/sample_fleet.h"

namespace hpl {
namespace {

using test::judged_fleet;
using test::sample_fleet;
using test::set_rates;

/// The texts of a member's or host's findings, a line each: "fault fleet: ...".
template <class Owner>
std::string findings_of(const Owner& owner) {
  std::string text;
  for (const Finding& finding : owner.findings)
    text += fmt::format("{} {}: {}\n", name_of(kSeverities, finding.severity),
                        name_of(kBases, finding.basis), finding.text);
  return text;
}

FigureStatistics rates_of(const FleetReport& report) {
  return report.kinds.at(0).figures.at(0);
}

TEST(FleetVerdict, AFleetOfEqualsPasses) {
  FleetReport report = judged_fleet(3, 4);
  for (const FleetMember& member : report.members)
    EXPECT_EQ(findings_of(member), "") << member.name;
  EXPECT_EQ(report.pass_list, "node[01-03]");
  EXPECT_EQ(report.fail_list, "");
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  EXPECT_TRUE(report.remarks.empty());
}

TEST(FleetVerdict, ComparesNothingWhereRanksShareCores) {
  FleetReport report = sample_fleet(3, 4);
  report.shared_cores = true;
  set_rates(report.members[5], report.spec, {33, 33.5, 34});
  judge_fleet(report);
  EXPECT_EQ(findings_of(report.members[5]), "");
  EXPECT_EQ(report.pass_list, "node[01-03]");
  EXPECT_EQ(report.kinds.at(0).remark, "ranks share cores (--share-cores): no figure is compared");
  EXPECT_EQ(rates_of(report).threshold, std::nullopt);
}

TEST(FleetVerdict, ADeviceAtAThirdOfItsRateFailsWithItsReason) {
  FleetReport report = sample_fleet(3, 4);
  FleetMember& slow = report.members[5];
  set_rates(slow, report.spec, {33, 33.5, 34});
  judge_fleet(report);
  EXPECT_EQ(slow.verdict, Verdict::Failed);
  ASSERT_EQ(slow.findings.size(), 1U);
  const Finding& finding = slow.findings.front();
  EXPECT_EQ(finding.figure, Figure::Gflops);
  EXPECT_EQ(finding.basis, Basis::Peers);
  EXPECT_DOUBLE_EQ(*finding.value, 33.5);
  EXPECT_NEAR(*finding.expected, 100.5, 0.2);
  EXPECT_NEAR(*finding.threshold, 0.95 * *finding.expected, 1e-9);
  EXPECT_TRUE(test::holds(finding.text, {"rate 33.50 GFLOP/s, 66.", "the median of 12 members",
                                         "5 % of the median", "matrix multiply takes"}));
  EXPECT_EQ(finding.severity, Severity::Slow) << "far out";
  EXPECT_EQ(report.fail_list, "node02");
  EXPECT_EQ(report.pass_list, "node[01,03]");
  EXPECT_EQ(exit_code_of(report), ExitCode::Slow);
}

TEST(FleetVerdict, TheSpreadIsRobust) {
  FleetReport report = sample_fleet(1, 5);
  const double rates[] = {100, 101, 102, 104, 10};
  for (std::size_t i = 0; i < 5; ++i)
    set_rates(report.members[i], report.spec, {rates[i]});
  judge_fleet(report);
  EXPECT_DOUBLE_EQ(rates_of(report).median, 101);
  EXPECT_DOUBLE_EQ(rates_of(report).spread, 1.4826 * 1);  // deviations 1, 0, 1, 3, 91
  EXPECT_EQ(rates_of(report).worst_member, "node01 cuda 4");
}

TEST(FleetVerdict, WideDistributionsAllowWhatTheySpread) {
  FleetReport report = sample_fleet(1, 5);
  const double rates[] = {100, 90, 110, 80, 120};
  for (std::size_t i = 0; i < 5; ++i)
    set_rates(report.members[i], report.spec, {rates[i]});
  judge_fleet(report);
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  EXPECT_TRUE(test::holds(report.kinds[0].remark, {"scatter by 14.8 %"}));
  report.thresholds.spreads = 1;
  judge_fleet(report);
  EXPECT_EQ(report.members[3].verdict, Verdict::Warned);
  EXPECT_TRUE(test::holds(findings_of(report.members[3]), {"1 robust spreads of 14.83"}));
}

TEST(FleetVerdict, TheToleranceIsSettable) {
  FleetReport report = judged_fleet(2, 4, {{0, {97, 97, 97}}});
  EXPECT_EQ(report.members[0].verdict, Verdict::Passed);
  report.thresholds.tolerance = 2;
  judge_fleet(report);
  EXPECT_EQ(report.members[0].verdict, Verdict::Warned);
  report.thresholds.strict = true;
  judge_fleet(report);
  EXPECT_EQ(report.members[0].verdict, Verdict::Failed);
  EXPECT_EQ(exit_code_of(report), ExitCode::Slow);
  report.thresholds = {.tolerance = 1};
  judge_fleet(report);
  EXPECT_EQ(report.members[0].verdict, Verdict::Failed);
}

TEST(FleetVerdict, AFractionOfASecondFailsNobody) {
  FleetReport report = sample_fleet(1, 4);
  report.spec.order = 1000;  // 0.007 s at 100 GFLOP/s
  for (FleetMember& member : report.members)
    set_rates(member, report.spec, {100, 100, 100});
  set_rates(report.members[2], report.spec, {20, 50, 20});
  judge_fleet(report);
  EXPECT_EQ(findings_of(report.members[2]), "");
}

TEST(FleetVerdict, ASlowRunOfAGoodMemberIsFound) {
  FleetReport report = judged_fleet(1, 4, {{1, {100, 60, 100}}});
  EXPECT_TRUE(test::holds(findings_of(report.members[1]),
                          {"slow fleet: slowest run below the median 40.00 %"}));
}

TEST(FleetVerdict, AMemberThatGetsSlowerIsFound) {
  FleetReport report = sample_fleet(1, 4);
  for (FleetMember& member : report.members)
    set_rates(member, report.spec, {100, 100, 100, 100, 100, 100});
  set_rates(report.members[3], report.spec, {100, 98, 96, 94, 91, 89});
  judge_fleet(report);
  EXPECT_NEAR(*report.members[3].figures[Figure::Drift], 100 * (1 - 90. / 99), 1e-9);
  EXPECT_TRUE(
      test::holds(findings_of(report.members[3]),
                  {"loses 9.1 % over its runs, the median of 4 members 0.0 % (limit 5.0)"}));
}

TEST(FleetVerdict, AWrongSolutionFailsItsUnitAlone) {
  FleetReport report = sample_fleet(2, 2);
  report.members[3].runs[1].residual->scaled = 1234;
  judge_fleet(report);
  EXPECT_EQ(findings_of(report.members[3]),
            "fault residual: run 2: the scaled residual 1.23e+03 is not below 16\n");
  EXPECT_EQ(report.pass_list, "node01");
}

TEST(FleetVerdict, AFleetOfOneOrTwoSaysThatItHasNoDistribution) {
  for (const int devices : {1, 2}) {
    FleetReport report = sample_fleet(1, devices);
    set_rates(report.members.back(), report.spec, {50});
    judge_fleet(report);
    EXPECT_TRUE(test::holds(report.kinds[0].remark,
                            {devices == 1 ? "no distribution" : "too few to find an outlier"}));
    EXPECT_FALSE(rates_of(report).threshold);
    EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  }
}

TEST(FleetVerdict, KindsOfHardwareAreComparedWithinThemselves) {
  FleetReport report = sample_fleet(2, 4);
  for (std::size_t i = 4; i < 8; ++i) {
    report.members[i].kind = report.members[i].devices[0].model = "NVIDIA A100";
    set_rates(report.members[i], report.spec, {40, 40, 40});
  }
  judge_fleet(report);
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  EXPECT_EQ(report.kinds.size(), 2U);
  set_rates(report.members[7], report.spec, {30, 30, 30});
  judge_fleet(report);
  EXPECT_EQ(report.members[7].verdict, Verdict::Failed);
  EXPECT_EQ(report.fail_list, "node02");
}

TEST(FleetVerdict, GatesHoldForEachUnit) {
  FleetReport report = sample_fleet(1, 3);
  report.thresholds.gates.min_gflops = 100.3;
  set_rates(report.members[1], report.spec, {99, 101, 101});
  set_rates(report.members[0], report.spec, {101, 101, 101});
  set_rates(report.members[2], report.spec, {101, 101, 101});
  judge_fleet(report);
  EXPECT_EQ(report.members[0].verdict, Verdict::Passed);
  EXPECT_EQ(report.members[1].verdict, Verdict::Failed);
  EXPECT_TRUE(test::holds(findings_of(report.members[1]),
                          {"slow gate: --min-gflops 100.3 missed: 99 GFLOP/s"}));
}

FleetReference reference_of(FleetReport report) {
  judge_fleet(report);
  return {.source = "old.json", .kinds = report.kinds, .each = report.each, .spec = report.spec};
}

TEST(FleetVerdict, AFleetThatIsSlowAltogetherFailsByItsReference) {
  FleetReport report = sample_fleet(2, 2);
  report.reference = reference_of(report);
  judge_fleet(report);
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  for (FleetMember& member : report.members)
    set_rates(member, report.spec, {90, 90, 90});
  judge_fleet(report);
  for (const FleetMember& member : report.members)
    EXPECT_NE(findings_of(member).find("the median of the reference old.json"), std::string::npos);
  EXPECT_EQ(report.pass_list, "");
}

TEST(FleetVerdict, AReferenceOfSomethingElseIsRefused) {
  const FleetReport report = sample_fleet(2, 2);
  FleetReference reference = reference_of(report);
  EXPECT_FALSE(reference_mismatch(reference, report));
  reference.spec.order = 10'000;
  EXPECT_EQ(reference_mismatch(reference, report).value_or(""),
            "old.json is of another run: N = 10000 there, N = 20000 here");
  reference.spec.emulated_moduli = 14;
  EXPECT_EQ(reference_mismatch(reference, report).value_or(""),
            "old.json is of another run: arithmetic FP64 emulated by 14 INT8 products, Ozaki II "
            "there, arithmetic FP64 here");
  reference = reference_of(report);
  reference.kinds[0].kind = "NVIDIA A100";
  EXPECT_EQ(reference_mismatch(reference, report).value_or(""),
            "old.json is of other hardware: NVIDIA A100 there, NVIDIA H100 here (node01 cuda 0)");
  reference.each = FleetMemberKind::Node;
  EXPECT_EQ(reference_mismatch(reference, report).value_or(""),
            "old.json is of a fleet by node, this is one by device");
}

TEST(FleetVerdict, AHostThatShowsFewerDevicesFails) {
  FleetReport report = sample_fleet(4, 2);
  report.members.erase(report.members.begin() + 5);
  report.hosts[2].devices = 1;
  judge_fleet(report);
  EXPECT_EQ(findings_of(report.hosts[2]), "fault count: shows 1 device, most hosts show 2\n");
  EXPECT_EQ(report.fail_list, "node03");
}

TEST(FleetVerdict, HostsOfOtherHardwareMayHaveFewerDevices) {
  FleetReport report = sample_fleet(4, 2);
  report.hosts[2].devices = 1;
  report.hosts[2].facts[0].second = "Xeon";
  judge_fleet(report);
  EXPECT_EQ(report.hosts[2].verdict, Verdict::Passed);
}

TEST(FleetVerdict, AHostWithoutADeviceAndOneThatIsNotThereAreOnTheList) {
  FleetReport report = sample_fleet(4, 1);
  report.members.erase(report.members.begin() + 1);
  report.hosts[1].devices = 0;
  report.hosts[1].why_out = "rank 1: no cuda device";
  report.hosts.push_back({{.name = "node05"}});
  judge_fleet(report);
  EXPECT_EQ(report.hosts[1].verdict, Verdict::NotRun);
  EXPECT_EQ(report.hosts[4].verdict, Verdict::Missing);
  EXPECT_EQ(report.fail_list, "node[02,05]");
  EXPECT_EQ(exit_code_of(report), ExitCode::Failed);
}

/// Pairs of a ring of hosts; the rates by the number of the first host.
FleetReport ring(const std::vector<double>& rates) {
  const int hosts = static_cast<int>(rates.size());
  FleetReport report = sample_fleet(hosts, 1);
  report.each = FleetMemberKind::Pair;
  report.members.clear();
  for (int i = 0; i < hosts; ++i) {
    const std::string one = report.hosts[static_cast<std::size_t>(i)].name;
    const std::string other = report.hosts[static_cast<std::size_t>((i + 1) % hosts)].name;
    FleetMember member{.name = one + " " + other, .kind = "2 x NVIDIA H100", .hosts = {one, other}};
    set_rates(member, report.spec, {rates[static_cast<std::size_t>(i)]});
    report.members.push_back(std::move(member));
  }
  return report;
}

TEST(FleetVerdict, ANodeThatIsSlowWithBothNeighboursIsToBlame) {
  FleetReport report = ring({100, 50, 50, 100, 100, 100});  // node03: pairs 2 and 3
  judge_fleet(report);
  EXPECT_EQ(report.fail_list, "node03");
  EXPECT_TRUE(test::holds(findings_of(report.hosts[2]), {"2 of its 2 pairs failed"}));
}

TEST(FleetVerdict, ANodeWithAWarningFromBothNeighboursIsWarnedAlone) {
  FleetReport report = ring({100, 93, 93, 100, 100, 100});
  judge_fleet(report);
  EXPECT_EQ(report.warn_list, "node03");
  EXPECT_EQ(report.pass_list, "node[01-02,04-06]");
  EXPECT_TRUE(findings_of(report.hosts[2]).starts_with("warning member: 2 of its 2 pairs warned"))
      << findings_of(report.hosts[2]);
}

TEST(FleetVerdict, ALinkIsToldFromItsNodes) {
  FleetReport report = ring({100, 100, 50, 100, 100, 100});  // between node03 and node04
  judge_fleet(report);
  EXPECT_EQ(report.fail_list, "node[03-04]");
  EXPECT_TRUE(test::holds(findings_of(report.hosts[3]), {"the link between them is in doubt"}));
}

TEST(FleetVerdict, DifferencesAreToldByMajority) {
  FleetReport report = sample_fleet(4, 2);
  report.hosts[3].facts[1].second = "5.15.0";
  report.members[2].devices[0].identity.firmware = "95.01";
  judge_fleet(report);
  ASSERT_EQ(report.differences.size(), 2U);
  EXPECT_EQ(report.differences[0].fact, "kernel");
  EXPECT_EQ(report.differences[0].majority, "6.1.0");
  EXPECT_EQ(report.differences[0].count, 3);
  EXPECT_EQ(report.differences[0].others.at(0).hosts, std::vector<std::string>{"node04"});
  EXPECT_EQ(report.differences[1].fact, "firmware of NVIDIA H100");
  EXPECT_EQ(report.differences[1].others.at(0).value, "95.01 and 96.00");
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
}

/// All runs throttled for so much of the time by the power cap.
void throttle(FleetMember& member, double share) {
  for (RunResult& run : member.runs) {
    TelemetrySummary& sensors = run.devices.at(0).sensors;
    sensors.clock_mhz = SensorRange{1000, 1100, 1200};
    sensors.throttle_reasons = {{hpcx::throttle::kPowerCap, share}};
  }
}

TEST(FleetVerdict, WhatIsNormalForTheChipIsNoFinding) {
  FleetReport report = sample_fleet(2, 4);
  for (FleetMember& member : report.members) {
    throttle(member, 0.98);
    member.devices[0].health.ecc = false;
  }
  judge_fleet(report);
  for (const FleetMember& member : report.members)
    EXPECT_EQ(findings_of(member), "");
  ASSERT_EQ(report.remarks.size(), 1U);
  EXPECT_EQ(report.remarks[0].text, "all 8 of NVIDIA H100: ECC of the device's memory is off");
}

TEST(FleetVerdict, ASensorThatDiffersFromThePeersIsAWarningHoweverFar) {
  FleetReport report = sample_fleet(2, 4);
  for (FleetMember& member : report.members)
    throttle(member, 0.0);
  throttle(report.members[6], 0.9);
  judge_fleet(report);
  EXPECT_EQ(report.members[6].verdict, Verdict::Warned);
  EXPECT_TRUE(test::holds(findings_of(report.members[6]),
                          {"warning fleet: samples throttled 90.00 %", "; power cap 90 %"}));
}

/// Rates below the limit of about 95, and not below that of about 90 from which on they are far
/// out.
const std::vector<double> kOut{93, 93, 93};

TEST(FleetVerdict, OneFigureOutIsAWarningAndPasses) {
  FleetReport report = judged_fleet(3, 2, {{3, kOut}});
  EXPECT_EQ(report.members[3].verdict, Verdict::Warned);
  EXPECT_EQ(report.hosts[1].verdict, Verdict::Warned);
  EXPECT_TRUE(findings_of(report.hosts[1]).starts_with("warning member: node02 cuda 1: rate 93.00"))
      << findings_of(report.hosts[1]);
  EXPECT_EQ(report.pass_list, "node[01,03]") << "a host stands in one list";
  EXPECT_EQ(report.warn_list, "node02");
  EXPECT_EQ(report.fail_list, "");
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  ASSERT_EQ(report.remarks.size(), 1U);
  EXPECT_TRUE(report.remarks[0].text.starts_with("1 host passed with a warning"))
      << report.remarks[0].text;
}

TEST(FleetVerdict, TwoFiguresOutFail) {
  FleetReport report = sample_fleet(3, 2);
  for (FleetMember& member : report.members)
    throttle(member, 0.0);
  set_rates(report.members[3], report.spec, kOut);
  throttle(report.members[3], 0.9);
  judge_fleet(report);
  EXPECT_EQ(report.members[3].verdict, Verdict::Failed);
  for (const Finding& finding : report.members[3].findings)
    EXPECT_EQ(finding.severity, Severity::Slow) << finding.text;
  EXPECT_EQ(report.fail_list, "node02");
  EXPECT_EQ(exit_code_of(report), ExitCode::Slow);
}

TEST(FleetVerdict, OneFigureOutByPeersAndReferenceIsOne) {
  FleetReport report = sample_fleet(3, 2);
  report.reference = reference_of(report);
  set_rates(report.members[3], report.spec, kOut);
  judge_fleet(report);
  EXPECT_EQ(report.members[3].findings.size(), 2U);
  EXPECT_EQ(report.warn_list, "node02");
}

TEST(FleetVerdict, WrongComesBeforeSlowAndNotCheckedBeforeAWarning) {
  FleetReport report = judged_fleet(3, 2, {{3, {50, 50, 50}}});
  EXPECT_EQ(exit_code_of(report), ExitCode::Slow);
  FleetReport wrong = report;
  wrong.members[0].runs[0].residual->scaled = 99;
  judge_fleet(wrong);
  EXPECT_EQ(exit_code_of(wrong), ExitCode::Failed);
  report.members[0].runs[0].residual.reset();
  set_rates(report.members[1], report.spec, kOut);
  judge_fleet(report);
  EXPECT_EQ(report.hosts[0].verdict, Verdict::Unchecked);
  EXPECT_EQ(report.warn_list, "");
  EXPECT_EQ(exit_code_of(report), ExitCode::Failed);
}

TEST(FleetVerdict, AFastAndASlowRunOfFiveDoNotMoveTheRate) {
  FleetReport report = judged_fleet(1, 4, {{2, {100, 10, 101, 1000, 99}}});
  EXPECT_DOUBLE_EQ(*report.members[2].figures[Figure::Gflops], 100);
}

TEST(FleetVerdict, MemoryErrorsThatAriseFailTheDevice) {
  FleetReport report = sample_fleet(1, 4);
  report.members[2].runs[1].devices[0].sensors.uncorrected_errors = 1;
  judge_fleet(report);
  EXPECT_EQ(report.members[2].verdict, Verdict::Failed);
  EXPECT_NE(findings_of(report.members[2]).find("run 2: uncorrected memory errors: 1 in"),
            std::string::npos);
  EXPECT_EQ(report.fail_list, "node01");
}

TEST(FleetVerdict, ErrorsOfAHostWarnItAndNoneOfItsDevices) {
  FleetReport report = sample_fleet(2, 4);
  for (const std::size_t member : {4U, 5U})
    report.members[member].runs[0].hosts = {{"node02",
                                             {.counts = {{"nic_errors", 500}, {"nic_discards", {}}},
                                              .driver_errors = {},
                                              .seconds = 9}}};
  judge_fleet(report);
  EXPECT_EQ(report.warn_list, "node02");
  EXPECT_EQ(findings_of(report.members[4]), "");
  ASSERT_EQ(report.hosts[1].findings.size(), 1U);
  EXPECT_EQ(report.hosts[1].findings[0].action, Action::Monitor);
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  EXPECT_EQ(std::ranges::count(report.remarks,
                               note("counters", "not readable: discarded network packets")),
            1);
}

TEST(FleetVerdict, ASecondJudgementIsTheSame) {
  FleetReport report = judged_fleet(3, 4, {{5, {33}}});
  const FleetReport first = report;
  judge_fleet(report);
  EXPECT_EQ(findings_of(report.members[5]), findings_of(first.members[5]));
  EXPECT_EQ(findings_of(report.hosts[1]), findings_of(first.hosts[1]));
  EXPECT_EQ(report.remarks, first.remarks);
  EXPECT_EQ(report.kinds.size(), first.kinds.size());
}

TEST(FleetVerdict, NothingPassesWithoutARun) {
  FleetReport report = sample_fleet(1, 2);
  for (FleetMember& member : report.members)
    member.runs.clear();
  judge_fleet(report);
  EXPECT_EQ(exit_code_of(report), ExitCode::Failed);
  EXPECT_EQ(report.fail_list, "node01");
  EXPECT_EQ(exit_code_of(FleetReport()), ExitCode::Failed);
}

/// About 100 GFLOP/s, in an interval of 5 %.
FleetExpectation expectation(double gflops) {
  return {"NVIDIA H100",
          {.model = "simulated",
           .seconds = 1,
           .gflops = gflops,
           .error_seconds = 0.05,
           .sheet = "NVIDIA H100 SXM 80 GB"}};
}

TEST(FleetVerdict, AMemberBelowTheExpectationIsSlow) {
  FleetReport report = sample_fleet(1, 5);
  report.expectations = {expectation(100)};
  FleetMember& slow = report.members[2];
  set_rates(slow, report.spec, {95.1, 95.1, 95.1});  // within 5 % of its peers
  judge_fleet(report);
  EXPECT_EQ(exit_code_of(report), ExitCode::Slow);
  EXPECT_EQ(slow.verdict, Verdict::Failed);
  EXPECT_TRUE(
      test::holds(findings_of(slow),
                  {"slow expectation: rate 95.10 GFLOP/s, 4.9 % below 100.0, the data sheet of "
                   "NVIDIA H100 SXM 80 GB (limit 95.24: its interval)"}));
  EXPECT_EQ(report.remarks,
            (std::vector<Remark>{
                note("expectation",
                     "NVIDIA H100, N = 20000, NB = 256: expected 95.2 to 105 GFLOP/s by the data "
                     "sheet of NVIDIA H100 SXM 80 GB; median 100 GFLOP/s: as expected")}));
}

TEST(FleetVerdict, AFleetOfEqualsMayBeSlowAsAWhole) {
  FleetReport report = sample_fleet(2, 4);
  report.expectations = {expectation(110)};
  judge_fleet(report);
  EXPECT_EQ(exit_code_of(report), ExitCode::Slow);
  EXPECT_EQ(report.fail_list, "node[01-02]");
  ASSERT_EQ(report.remarks.size(), 1U);
  EXPECT_EQ(report.remarks[0].severity, Severity::Warning);
  EXPECT_TRUE(test::holds(report.remarks[0].text, {"median 100 GFLOP/s: the whole fleet is slow"}));
}

TEST(FleetVerdict, AnExpectationOfAnotherKindJudgesNobody) {
  FleetReport report = sample_fleet(1, 3);
  report.expectations = {expectation(300)};
  report.expectations[0].kind = "NVIDIA H200";
  judge_fleet(report);
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  EXPECT_TRUE(report.remarks.empty());
}

TEST(FleetVerdict, AFasterFleetThanExpectedPasses) {
  FleetReport report = sample_fleet(1, 3);
  report.expectations = {expectation(50)};
  judge_fleet(report);
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  EXPECT_NE(report.remarks.at(0).text.find("faster than expected"), std::string::npos);
}

TEST(FleetVerdict, AMemberThatKeepsItsRateIsNotSlowBesideThoseThatWarmUp) {
  FleetReport report = sample_fleet(1, 4);
  for (FleetMember& member : report.members)
    set_rates(member, report.spec, {85, 88, 90, 95, 99, 100});
  set_rates(report.members[2], report.spec, {100, 100, 100, 100, 100, 100});
  report.reference = reference_of(report);
  judge_fleet(report);
  for (const FleetMember& member : report.members)
    EXPECT_EQ(findings_of(member), "") << member.name;
  EXPECT_EQ(report.pass_list, "node01");
  set_rates(report.members[2], report.spec, {100, 100, 98, 96, 93, 93});
  judge_fleet(report);
  EXPECT_TRUE(test::holds(
      findings_of(report.members[2]),
      {"warning fleet: loses 7.0 % over its runs, the median of 4 members -15.0 % (limit 5.0)\n",
       "warning reference: loses 7.0 % over its runs, the median of the reference old.json -15.0 % "
       "(limit 5.0)\n"}));
}

TEST(FleetVerdict, APercentageDiffersInPoints) {
  FleetReport report = judged_fleet(1, 4, {{1, {100, 93, 100}}});
  EXPECT_TRUE(test::holds(findings_of(report.members[1]),
                          {"slowest run below the median 7.00 %, 6.70 points above 0.29"}));
}

/// "disturbed, measure again: ...", as the finding of a member.
std::string disturbed_text(const std::string& host, const std::string& runs) {
  return "warning disturbed: disturbed, measure again: other processes took up to 94 % of the "
         "cores of " +
         host + " (" + runs + ")\n";
}

TEST(FleetVerdict, ADisturbedMemberIsWarnedAndNeverSlow) {
  FleetReport report = sample_fleet(4, 1);
  report.thresholds.gates.min_gflops = 50;
  report.expectations = {expectation(100)};
  FleetMember& disturbed = report.members[1];
  set_rates(disturbed, report.spec, {20, 30, 40});
  test::disturb(disturbed, 0.94, 3);
  judge_fleet(report);
  EXPECT_EQ(findings_of(disturbed), disturbed_text("node02", "3 of 3 runs"));
  EXPECT_EQ(disturbed.verdict, Verdict::Warned);
  EXPECT_EQ(disturbed.figures[Figure::Gflops], 30) << "shown, not judged";
  EXPECT_EQ(rates_of(report).count, 3) << "no norm for the others";
  EXPECT_EQ(report.pass_list, "node[01,03-04]");
  EXPECT_EQ(report.warn_list, "node02");
  EXPECT_EQ(report.fail_list, "");
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  EXPECT_EQ(report.remarks.at(0),
            warning("disturbed",
                    "the rates are no measure of these devices: other processes took up to 94 % of "
                    "the cores of node02 (3 of 3 runs)"));
  EXPECT_EQ(report.remarks.size(), 2U) << "no figure is out";
}

TEST(FleetVerdict, RunsThatOthersDidNotDisturbAreJudged) {
  FleetReport report = sample_fleet(4, 1);
  report.thresholds.gates.min_gflops = 50;
  FleetMember& sound = report.members[1];
  set_rates(sound, report.spec, {20, 100, 100, 100, 100});
  test::disturb(sound, 0.94, 1);
  FleetMember& slow = report.members[2];
  set_rates(slow, report.spec, {20, 60, 60, 60, 60});
  test::disturb(slow, 0.94, 1);
  judge_fleet(report);
  EXPECT_EQ(findings_of(sound), disturbed_text("node02", "1 of 5 runs"));
  EXPECT_EQ(slow.verdict, Verdict::Failed) << findings_of(slow);
  EXPECT_EQ(report.pass_list, "node[01,04]");
  EXPECT_EQ(report.fail_list, "node03");
}

TEST(FleetVerdict, ADisturbedMemberThatIsWrongStaysWrong) {
  FleetReport report = sample_fleet(4, 1);
  for (const std::size_t member : {0U, 1U})
    test::disturb(report.members[member], 0.94, 3);
  report.members[0].runs[0].residual->scaled = 99;
  report.members[1].runs[0].devices[0].sensors.uncorrected_errors = 1;
  judge_fleet(report);
  EXPECT_EQ(report.fail_list, "node[01-02]");
  EXPECT_EQ(exit_code_of(report), ExitCode::Failed);
}

TEST(FleetVerdict, ALittleOfOthersDisturbsNobody) {
  FleetReport report = sample_fleet(1, 3);
  test::disturb(report.members[0], 0.49, 3);  // beside a GPU
  judge_fleet(report);
  EXPECT_EQ(report.pass_list, "node01");
  for (RunResult& run : report.members[0].runs)
    run.devices[0].backend = "cpu";
  judge_fleet(report);
  EXPECT_EQ(report.warn_list, "node01");
}

TEST(FleetVerdict, ANodeThatIsDisturbedWithBothNeighboursIsWarnedAlone) {
  FleetReport report = ring({100, 100, 100, 100, 100, 100});
  for (const std::size_t pair : {1U, 2U}) {
    test::disturb(report.members[pair], 0.94, 1);
    report.members[pair].runs[0].others->host = "node03";
  }
  judge_fleet(report);
  EXPECT_EQ(report.warn_list, "node03");
}

}  // namespace
}  // namespace hpl
