#include "job/fleet/fleet_units.h"

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

TEST(FleetUnits, EveryRankIsADevice) {
  const FleetDivision division = divide_fleet(FleetUnitKind::Device, nodes_of({2, 1}));
  EXPECT_EQ(division.units, (std::vector<std::vector<int>>{{0}, {1}, {2}}));
  EXPECT_EQ(division.rounds, (std::vector<std::vector<int>>{{0, 1, 2}}));
}

TEST(FleetUnits, NodesWithFewerRanksThanMostAreLeftOut) {
  const FleetDivision division = divide_fleet(FleetUnitKind::Node, nodes_of({2, 1, 2}));
  EXPECT_EQ(division.units, (std::vector<std::vector<int>>{{0, 1}, {3, 4}}));
  EXPECT_EQ(division.why_out[2], "1 rank(s) with a device where most nodes have 2");
  EXPECT_EQ(division.why_out[0], "");
}

TEST(FleetUnits, OfTwoNodesTheLargerIsUsual) {
  const FleetDivision division = divide_fleet(FleetUnitKind::Node, nodes_of({7, 8}));
  ASSERT_EQ(division.units.size(), 1U);
  EXPECT_EQ(division.units[0].front(), 7);
}

TEST(FleetUnits, PairsOfAnEvenRingAlternate) {
  const FleetDivision division = divide_fleet(FleetUnitKind::Pair, nodes_of({1, 1, 1, 1}));
  EXPECT_EQ(division.units, (std::vector<std::vector<int>>{{0, 1}, {2, 3}, {1, 2}, {0, 3}}));
  EXPECT_EQ(division.rounds, (std::vector<std::vector<int>>{{0, 1}, {2, 3}}));
}

TEST(FleetUnits, TwoNodesAreOnePair) {
  const FleetDivision division = divide_fleet(FleetUnitKind::Pair, nodes_of({2, 2}));
  EXPECT_EQ(division.units, (std::vector<std::vector<int>>{{0, 1, 2, 3}}));
  EXPECT_EQ(division.rounds.size(), 1U);
}

TEST(FleetUnits, EveryNodeIsPairedWithBothNeighbours) {
  for (int count = 3; count <= 40; ++count) {
    const FleetDivision division =
        divide_fleet(FleetUnitKind::Pair, nodes_of(std::vector<int>(std::size_t(count), 1)));
    EXPECT_LE(division.rounds.size(), 3U);
    std::set<int> seen;
    for (const std::vector<int>& round : division.rounds) {
      std::set<int> busy;
      for (const int unit : round) {
        seen.insert(unit);
        for (const int rank : division.units[static_cast<std::size_t>(unit)])
          EXPECT_TRUE(busy.insert(rank).second) << count << " nodes: in two pairs at a time";
      }
    }
    EXPECT_EQ(std::ssize(seen), std::ssize(division.units));
    EXPECT_EQ(std::ssize(division.units), count) << "a ring has as many pairs as nodes";
    std::vector<int> pairs(static_cast<std::size_t>(count));
    for (const std::vector<int>& unit : division.units)
      for (const int rank : unit)
        ++pairs[static_cast<std::size_t>(rank)];
    EXPECT_TRUE(std::ranges::all_of(pairs, [](int of_node) { return of_node == 2; })) << count;
  }
}

TEST(FleetUnits, OneNodeIsNoPair) {
  EXPECT_THROW(divide_fleet(FleetUnitKind::Pair, nodes_of({4})), ConfigError);
}

}  // namespace
}  // namespace hpl
