#include "compare/compare_sides.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "sample_sides.h"

namespace hpl {
namespace {

using test::compared;
using test::find_member;
using test::rate_change;
using test::rename_host;
using test::sample_fleet;
using test::set_rates;

const ChangedFact* find_change(const Comparison& comparison, const std::string& fact) {
  const auto found = std::ranges::find(comparison.changes, fact, &ChangedFact::fact);
  return found == comparison.changes.end() ? nullptr : &*found;
}

TEST(CompareSides, ARenamedHostIsKnownByItsSerialNumber) {
  const FleetReport may = sample_fleet(3, 2);
  FleetReport june = may;
  rename_host(june, "node02", "node12");
  const Comparison comparison = compared(may, june);
  const ComparedMember* const member = find_member(comparison, "node12 cuda 1");
  ASSERT_NE(member, nullptr);
  ASSERT_EQ(member->points.size(), 2U);
  EXPECT_EQ(member->points.front().name, "node02 cuda 1");
  const ChangedFact* const name = find_change(comparison, "host");
  ASSERT_NE(name, nullptr);
  EXPECT_EQ(name->from, "node02");
  EXPECT_EQ(name->subject, FactSubject::Hardware);
  EXPECT_EQ(comparison.changes.size(), 1U);
}

TEST(CompareSides, ARenamedHostWithoutASerialNumberIsKnownByItsBoards) {
  FleetReport may = sample_fleet(3, 2);
  for (FleetHost& host : may.hosts)
    std::erase_if(host.facts, [](const auto& fact) { return fact.first == "serial"; });
  FleetReport june = may;
  rename_host(june, "node02", "node12");
  const Comparison comparison = compared(may, june);
  ASSERT_NE(find_change(comparison, "host"), nullptr);
  EXPECT_EQ(find_change(comparison, "host")->to, "node12");
}

TEST(CompareSides, ABoardIsFollowedToAnotherHost) {
  FleetReport may = sample_fleet(2, 1);
  set_rates(may.members[0], may.spec, {90, 90, 90});
  FleetReport june = may;
  std::swap(june.members[0].devices[0].identity, june.members[1].devices[0].identity);
  std::swap(june.members[0].runs, june.members[1].runs);
  const Comparison comparison = compared(may, june);
  EXPECT_EQ(rate_change(comparison, "node02 cuda 0").change, 0);
  EXPECT_EQ(find_member(comparison, "node02 cuda 0")->points.front().name, "node01 cuda 0");
}

TEST(CompareSides, AReplacedBoardIsComparedInItsPlaceAndNamed) {
  const FleetReport may = sample_fleet(2, 2);
  FleetReport june = may;
  june.members[3].devices[0].identity.serial = "S77";
  const Comparison comparison = compared(may, june);
  EXPECT_EQ(find_member(comparison, "node02 cuda 1")->points.size(), 2U);
  const ChangedFact* const serial = find_change(comparison, "serial of cuda 1");
  ASSERT_NE(serial, nullptr);
  EXPECT_EQ(serial->from, "S3");
  EXPECT_EQ(serial->to, "S77");
  EXPECT_EQ(serial->hosts, std::vector<std::string>{"node02"});
}

TEST(CompareSides, AChangeSmallerThanTheScatterOfTheRepetitionsIsNoise) {
  FleetReport may = sample_fleet(1, 2);
  set_rates(may.members[0], may.spec, {98, 100, 102});
  set_rates(may.members[1], may.spec, {99.99, 100, 100.01});
  may.members[1].kind = "other";
  FleetReport june = may;
  set_rates(june.members[0], may.spec, {97, 99, 101});
  set_rates(june.members[1], may.spec, {98.99, 99, 99.01});
  const Comparison comparison = compared(may, june);
  const FigureChange loud = rate_change(comparison, "node01 cuda 0"),
                     still = rate_change(comparison, "node01 cuda 1");
  EXPECT_EQ(loud.verdict, ChangeVerdict::Noise);
  EXPECT_EQ(still.verdict, ChangeVerdict::Worse);
  EXPECT_NEAR(loud.change, -1, 1e-9);
  // Three standard errors of two medians of three values with a deviation of 2.
  EXPECT_NEAR(loud.noise, 3 * 1.2533 * 2 * std::sqrt(2.0 / 3), 0.01);
  EXPECT_TRUE(loud.repeated);
}

TEST(CompareSides, SingleRunsHaveTheNoiseOfATenthOfASecond) {
  FleetReport may = sample_fleet(1, 1);
  set_rates(may.members[0], may.spec, {100});
  FleetReport june = may;
  set_rates(june.members[0], may.spec, {99.9});
  const Comparison comparison = compared(may, june);
  const FigureChange rate = rate_change(comparison, "node01 cuda 0");
  EXPECT_FALSE(rate.repeated);
  EXPECT_EQ(rate.verdict, ChangeVerdict::Noise);
  EXPECT_NEAR(rate.noise, 0.187, 0.01);  // the run takes 53 s
  EXPECT_EQ(comparison.remarks.size(), 1U);
}

TEST(CompareSides, MembersOfOneSideAreNoChange) {
  const FleetReport may = sample_fleet(3, 1);
  FleetReport june = sample_fleet(4, 1);
  std::erase_if(june.hosts, [](const FleetHost& host) { return host.name == "node02"; });
  std::erase_if(june.members,
                [](const FleetMember& member) { return member.hosts[0] == "node02"; });
  const Comparison comparison = compared(may, june, -2);
  EXPECT_EQ(find_member(comparison, "node02 cuda 0")->points.size(), 1U);
  EXPECT_EQ(find_member(comparison, "node04 cuda 0")->points.front().side, 1);
  EXPECT_EQ(comparison.lost, std::vector<std::string>{"node02 cuda 0"});
  ASSERT_EQ(comparison.runs[0].kinds.size(), 1U);
  EXPECT_EQ(comparison.runs[0].kinds[0].points[0].members, 2);
  EXPECT_EQ(comparison.exit_code, ExitCode::Failed) << "a member is lost";
  EXPECT_EQ(compared(sample_fleet(3, 1), sample_fleet(4, 1)).exit_code, ExitCode::Passed);
}

TEST(CompareSides, RunsOfOtherWorkAreNamedAndNotCompared) {
  const FleetReport may = sample_fleet(2, 1);
  for (const auto& change : std::vector<std::function<void(RunSpec&)>>{
           [](RunSpec& spec) { spec.order = 30'000; }, [](RunSpec& spec) { spec.block_size = 512; },
           [](RunSpec& spec) { spec.emulated_moduli = 14; },
           [](RunSpec& spec) { spec = make_mixed(spec, {}); }}) {
    FleetReport june = may;
    test::change_spec(june, change);
    const Comparison comparison = compared(may, june, -1);
    EXPECT_TRUE(comparison.runs.empty());
    ASSERT_EQ(comparison.uncompared.size(), 2U);
    EXPECT_NEAR(*comparison.uncompared[0].gflops, 100.5, 1);
    EXPECT_NE(comparison.uncompared[1].difference.find(", not "), std::string::npos);
    EXPECT_EQ(comparison.exit_code, ExitCode::Passed);
    EXPECT_EQ(comparison.undecided, "not decided: no rate is comparable");
  }
}

TEST(CompareSides, ALossBelowTheLimitIsSlowIfItIsMoreThanNoise) {
  FleetReport may = sample_fleet(3, 1);
  for (FleetMember& member : may.members)
    set_rates(member, may.spec, {99.9, 100, 100.1});
  FleetReport june = may;
  set_rates(june.members[1], may.spec, {96.9, 97, 97.1});
  EXPECT_EQ(compared(may, june).exit_code, ExitCode::Passed);
  EXPECT_EQ(compared(may, june, -4).exit_code, ExitCode::Passed);
  const Comparison comparison = compared(may, june, -2);
  EXPECT_EQ(comparison.exit_code, ExitCode::Slow);
  EXPECT_EQ(comparison.slow, std::vector<std::string>{"node02 cuda 0"});
  set_rates(june.members[1], may.spec, {90, 97, 104});
  const Comparison loud = compared(may, june, -2);
  EXPECT_EQ(loud.exit_code, ExitCode::Passed);
  EXPECT_EQ(
      loud.undecided,
      "not decided for 1 of 3 members, whose noise is 15 %: repeat the runs (--repeat 5) on a "
      "quiet machine");
}

TEST(CompareSides, ALimitWithinTheNoiseIsNotHeldButNotDecided) {
  FleetReport may = sample_fleet(3, 1);
  const std::vector<std::vector<double>> rates{{50, 100, 150}, {60, 100, 140}, {20, 100, 180}};
  for (std::size_t i = 0; i < rates.size(); ++i) {
    may.members[i].kind += std::to_string(i);  // each has a scatter of its own
    set_rates(may.members[i], may.spec, rates[i]);
  }
  std::vector<Snapshot> sides;
  const auto result = [&](bool strict) {
    sides.clear();
    sides.push_back(test::side_of(may, "may.json"));
    sides.push_back(test::side_of(may, "june.json", test::kMonth));
    return compare_sides(std::move(sides), -2, strict);
  };
  EXPECT_EQ(result(false).exit_code, ExitCode::Passed);
  EXPECT_EQ(result(true).exit_code, ExitCode::Slow);
  EXPECT_EQ(
      result(true).undecided,
      "not decided for 3 of 3 members, whose noise is 123 to 246 %: repeat the runs (--repeat "
      "5) on a quiet machine");
}

TEST(CompareSides, AFasterMemberIsDecidedHoweverLoud) {
  FleetReport may = sample_fleet(1, 1);
  set_rates(may.members[0], may.spec, {98, 100, 102});
  FleetReport june = may;
  set_rates(june.members[0], may.spec, {148, 150, 152});
  EXPECT_FALSE(compared(may, june, -1).undecided);
}

TEST(CompareSides, WhatOtherProcessesTookIsNoLoss) {
  FleetReport may = sample_fleet(2, 1);
  FleetReport june = may;
  set_rates(june.members[1], may.spec, {30, 30, 30});
  test::disturb(june.members[1], 0.94, 3);
  const Comparison comparison = compared(may, june, -2);
  EXPECT_TRUE(comparison.slow.empty());
  EXPECT_EQ(rate_change(comparison, "node02 cuda 0").verdict, ChangeVerdict::Noise);
  EXPECT_TRUE(comparison.undecided->starts_with("not decided for 1 of 2 members"));
  EXPECT_EQ(
      comparison.remarks.at(0).text,
      "june.json: rates are no measure: other processes took up to 94 % of the cores of node02 "
      "(3 of 3 runs)");
}

TEST(CompareSides, WhatTheLastSideLacksIsWrong) {
  const FleetReport may = sample_fleet(3, 2);
  FleetReport june = may;
  june.hosts[1].devices = 1;
  june.members.erase(june.members.begin() + 3);
  june.members[0].runs[0].residual.reset();
  june.members[1].runs[0].devices[0].sensors.uncorrected_errors = 1;
  const Comparison comparison = compared(may, june);
  EXPECT_EQ(comparison.failed,
            std::vector<std::string>{"node02: shows 1 device, most hosts show 2"});
  EXPECT_EQ(comparison.lost, std::vector<std::string>{"node02 cuda 1"});
  EXPECT_EQ(comparison.unchecked, std::vector<std::string>{"node01 cuda 0"});
  EXPECT_EQ(comparison.wrong, std::vector<std::string>{"node01 cuda 1"});
  EXPECT_EQ(comparison.exit_code, ExitCode::Failed);
  EXPECT_EQ(compared(june, june).exit_code, ExitCode::Passed) << "it was so before";
}

TEST(CompareSides, AJobThatDiedIsWrongOnTheLastSideAndARemarkBefore) {
  const FleetReport fleet = sample_fleet(2, 1);
  FleetReport died = fleet;
  judge_fleet(died);
  died.error = "a rank died\n  rank 0";
  died.exit_code = ExitCode::Broken;
  const auto side = [](const FleetReport& of, const char* name) {
    return *snapshot_of(parse_json(name, fleet_json(of), "the test"), name);
  };
  const Comparison last =
      compare_sides({test::side_of(fleet, "may.json"), side(died, "june.json")}, {});
  EXPECT_EQ(last.ended_early,
            std::vector<std::string>{"june.json: its job ended early: a rank died"});
  EXPECT_EQ(last.exit_code, ExitCode::Failed);
  const Comparison first =
      compare_sides({side(died, "may.json"), test::side_of(fleet, "june.json")}, {});
  EXPECT_EQ(first.exit_code, ExitCode::Passed);
  EXPECT_EQ(first.remarks.at(0).text, "may.json: its job ended early: a rank died");
}

TEST(CompareSides, AnAddressIsNotTakenForAnother) {
  FleetReport may = sample_fleet(2, 1);
  for (FleetHost& host : may.hosts)
    std::erase_if(host.facts, [](const auto& fact) { return fact.first == "serial"; });
  for (FleetMember& member : may.members)
    member.devices[0].identity.serial.clear();
  rename_host(may, "node01", "10.0.0.1");
  rename_host(may, "node02", "10.0.0.2");
  FleetReport june = may;
  std::swap(june.hosts[0], june.hosts[1]);
  std::swap(june.members[0], june.members[1]);
  EXPECT_EQ(find_member(compared(may, june), "10.0.0.1 cuda 0")->points.front().name,
            "10.0.0.1 cuda 0");
}

TEST(CompareSides, AResultThatIsWrongNowAndWasNotBeforeFails) {
  FleetReport may = sample_fleet(2, 1);
  FleetReport june = may;
  june.members[1].runs[2].residual = Residual{.scaled = 1e9, .passed = false};
  EXPECT_EQ(compared(may, june).wrong, std::vector<std::string>{"node02 cuda 0"});
  EXPECT_EQ(compared(may, june, -50).exit_code, ExitCode::Failed);
  EXPECT_EQ(compared(june, may).exit_code, ExitCode::Passed);
  EXPECT_EQ(compared(june, june).exit_code, ExitCode::Passed);
}

TEST(CompareSides, ChangedFactsAreGroupedByTheirHosts) {
  const FleetReport may = sample_fleet(3, 1);
  FleetReport june = may;
  for (int host : {0, 2})
    june.hosts[static_cast<std::size_t>(host)].facts[1].second = "6.1.5";
  for (FleetMember& member : june.members)
    member.devices[0].identity.driver = "560.2";
  june.members[0].devices[0].health.power_limit_watts = 500;
  const Comparison comparison = compared(may, june);
  const ChangedFact* const kernel = find_change(comparison, "kernel");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->from, "6.1.0");
  EXPECT_EQ(kernel->to, "6.1.5");
  EXPECT_EQ(kernel->hosts, (std::vector<std::string>{"node01", "node03"}));
  EXPECT_EQ(find_change(comparison, "driver of NVIDIA H100")->hosts.size(), 3U);
  EXPECT_EQ(comparison.changes.size(), 2U);  // a limit that was not known before is no change
}

TEST(CompareSides, LabelsThatDifferAreAChangeOfTheSettings) {
  FleetReport may = sample_fleet(3, 1), june = may;
  june.header.program.labels = {{"image", "2026-06"}};
  const Comparison comparison = compared(may, june);
  const ChangedFact* const labels = find_change(comparison, "labels (device)");
  ASSERT_NE(labels, nullptr);
  EXPECT_EQ(labels->subject, FactSubject::Settings);
  EXPECT_EQ(labels->from, "none");
  EXPECT_EQ(labels->to, "image=2026-06");
}

TEST(CompareSides, ASettingThatChangedInSeveralKindsOfRunsIsOneChange) {
  FleetReport devices = sample_fleet(2, 1), nodes = devices;
  nodes.each = FleetMemberKind::Node;
  std::vector<Snapshot> sides;
  for (const char* const image : {"old", "new"}) {
    devices.header.program.labels = nodes.header.program.labels = {{"image", image}};
    const double later = sides.empty() ? 0 : test::kMonth;
    join(sides.emplace_back(test::side_of(devices, image, later)),
         test::side_of(nodes, image, later));
  }
  const Comparison comparison = compare_sides(std::move(sides), {});
  ASSERT_EQ(comparison.changes.size(), 1U);
  EXPECT_EQ(comparison.changes[0].fact, "labels (device, node)");
}

TEST(CompareSides, SettingsOfAJobAreComparedBetweenSidesAlone) {
  FleetReport may = sample_fleet(1, 1);
  may.header.environment = {{"ranks", "1 on 1 node"}, {"memory", "1 GiB free"}};
  FleetReport other = may, june = may;
  test::change_spec(other, [](RunSpec& spec) { spec.order = 100; });
  other.header.environment[0].second = "2 on 1 node";
  june.header.environment = {{"ranks", "4 on 1 node"}, {"memory", "2 GiB free"}};
  std::vector<Snapshot> sides{test::side_of(may, "may"), test::side_of(june, "june", test::kMonth)};
  join(sides[0], test::side_of(other, "other"));
  const Comparison comparison = compare_sides(std::move(sides), {});
  ASSERT_EQ(comparison.changes.size(), 1U);
  EXPECT_EQ(comparison.changes[0].fact, "ranks (device)");
  EXPECT_EQ(comparison.changes[0].from, "1 on 1 node");
  EXPECT_EQ(comparison.changes[0].subject, FactSubject::Settings);
}

TEST(CompareSides, ClustersWithoutACommonHostAreComparedByTheirMediansAndFacts) {
  const FleetReport one = sample_fleet(4, 1);
  FleetReport other = sample_fleet(4, 1);
  for (const char* const name : {"1", "2", "3", "4"})
    rename_host(other, std::string("node0") + name, std::string("rack") + name);
  for (FleetHost& host : other.hosts) {
    host.facts[1].second = "6.9";
    host.facts[2].second = "other " + host.name;
  }
  for (FleetMember& member : other.members) {
    member.devices[0].identity.serial = "other " + member.name;
    member.kind = "NVIDIA H200";
    set_rates(member, other.spec, {120, 120, 120});
  }
  const Comparison comparison = compared(one, other);
  ASSERT_EQ(comparison.runs.size(), 1U);
  ASSERT_EQ(comparison.runs[0].kinds.size(), 1U);
  const ComparedPoint& last = comparison.runs[0].kinds[0].points.back();
  EXPECT_EQ(last.kind, "NVIDIA H100 -> NVIDIA H200");
  EXPECT_EQ(last.changes.front().verdict, ChangeVerdict::Better);
  ASSERT_NE(find_change(comparison, "kernel"), nullptr);
  EXPECT_TRUE(find_change(comparison, "kernel")->hosts.empty());
}

TEST(CompareSides, AHistoryComparesEveryTimeWithTheFirst) {
  const FleetReport fleet = sample_fleet(2, 1);
  FleetReport june = fleet, july = fleet;
  june.hosts[0].facts[1].second = "6.1.5";
  june.members.pop_back();
  june.hosts.pop_back();
  july.hosts[0].facts[1].second = "6.1.5";
  set_rates(july.members[1], july.spec, {50, 50, 50});
  std::vector<Snapshot> sides{test::side_of(fleet, "may"),
                              test::side_of(june, "june", test::kMonth),
                              test::side_of(july, "july", 2 * test::kMonth)};
  const Comparison comparison = compare_sides(std::move(sides), -10);
  EXPECT_EQ(find_member(comparison, "node01 cuda 0")->points.size(), 3U);
  const ComparedMember& second = *find_member(comparison, "node02 cuda 0");
  ASSERT_EQ(second.points.size(), 2U);
  EXPECT_EQ(second.points.back().side, 2);
  EXPECT_EQ(comparison.slow, std::vector<std::string>{"node02 cuda 0"});
  ASSERT_EQ(comparison.changes.size(), 1U);
  EXPECT_EQ(comparison.changes[0].side, 1);
}

}  // namespace
}  // namespace hpl
