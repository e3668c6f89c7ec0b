#include "fleet/members/fleet_division.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"

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

}  // namespace
}  // namespace hpl
