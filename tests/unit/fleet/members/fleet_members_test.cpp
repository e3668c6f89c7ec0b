#include "fleet/members/fleet_division.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/members/fleet_expectation.h"
#include "hpl/base/error/error.h"
#include "hpl/input/command_line/options.h"
#include "support/message_of.h"
#include "unit/fleet/sample_fleet.h"

namespace hpl {
namespace {

/// So many ranks on each node, one node after the other.
NodeMap nodes_of(const std::vector<int>& ranks) {
  std::vector<int> first;
  for (const int count : ranks)
    first.insert(first.end(), static_cast<std::size_t>(count), static_cast<int>(first.size()));
  return NodeMap(first);
}

TEST(FleetDivision, EveryRankIsADevice) {
  const FleetDivision division = divide_fleet(FleetMemberKind::Device, nodes_of({2, 1}));
  EXPECT_EQ(division.members, (std::vector<std::vector<int>>{{0}, {1}, {2}}));
  EXPECT_EQ(division.rounds, (std::vector<std::vector<int>>{{0, 1, 2}}));
}

TEST(FleetDivision, NodesWithFewerRanksThanMostAreLeftOut) {
  const FleetDivision division = divide_fleet(FleetMemberKind::Node, nodes_of({2, 1, 2}));
  EXPECT_EQ(division.members, (std::vector<std::vector<int>>{{0, 1}, {3, 4}}));
  EXPECT_EQ(division.why_out[2], "1 rank with a device where most nodes have 2");
  EXPECT_EQ(division.why_out[0], "");
}

TEST(FleetDivision, OfTwoNodesTheLargerIsUsual) {
  const FleetDivision division = divide_fleet(FleetMemberKind::Node, nodes_of({7, 8}));
  ASSERT_EQ(division.members.size(), 1U);
  EXPECT_EQ(division.members[0].front(), 7);
}

TEST(FleetDivision, PairsOfAnEvenRingAlternate) {
  const FleetDivision division = divide_fleet(FleetMemberKind::Pair, nodes_of({1, 1, 1, 1}));
  EXPECT_EQ(division.members, (std::vector<std::vector<int>>{{0, 1}, {2, 3}, {1, 2}, {0, 3}}));
  EXPECT_EQ(division.rounds, (std::vector<std::vector<int>>{{0, 1}, {2, 3}}));
}

TEST(FleetDivision, TwoNodesAreOnePair) {
  const FleetDivision division = divide_fleet(FleetMemberKind::Pair, nodes_of({2, 2}));
  EXPECT_EQ(division.members, (std::vector<std::vector<int>>{{0, 1, 2, 3}}));
  EXPECT_EQ(division.rounds.size(), 1U);
}

TEST(FleetDivision, EveryNodeIsPairedWithBothNeighbours) {
  for (int count = 3; count <= 40; ++count) {
    const FleetDivision division =
        divide_fleet(FleetMemberKind::Pair, nodes_of(std::vector<int>(std::size_t(count), 1)));
    EXPECT_LE(division.rounds.size(), 3U);
    std::set<int> seen;
    for (const std::vector<int>& round : division.rounds) {
      std::set<int> busy;
      for (const int member : round) {
        seen.insert(member);
        for (const int rank : division.members[static_cast<std::size_t>(member)])
          EXPECT_TRUE(busy.insert(rank).second) << count << " nodes: in two pairs at a time";
      }
    }
    EXPECT_EQ(std::ssize(seen), std::ssize(division.members));
    EXPECT_EQ(std::ssize(division.members), count) << "a ring has as many pairs as nodes";
    std::vector<int> pairs(static_cast<std::size_t>(count));
    for (const std::vector<int>& member : division.members)
      for (const int rank : member)
        ++pairs[static_cast<std::size_t>(rank)];
    EXPECT_TRUE(std::ranges::all_of(pairs, [](int of_node) { return of_node == 2; })) << count;
  }
}

TEST(FleetDivision, OneNodeIsNoPair) {
  EXPECT_THROW(divide_fleet(FleetMemberKind::Pair, nodes_of({4})), ConfigError);
}

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
