#include "check/probes/pairing.h"

#include <map>
#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace hpl {
namespace {

using Pair = std::pair<int, int>;

/// The number of meetings of each pair. Checks on the way that partners agree and none meets twice
/// a round.
template <class Partner>
std::map<Pair, int> meetings(int players, int rounds, Partner partner) {
  std::map<Pair, int> count;
  for (int round = 0; round < rounds; ++round)
    for (int player = 0; player < players; ++player) {
      const auto other = partner(players, round, player);
      if (!other) continue;
      EXPECT_NE(*other, player);
      EXPECT_EQ(partner(players, round, *other), player) << players << " players, round " << round;
      if (player < *other) ++count[{player, *other}];
    }
  return count;
}

TEST(Tournament, LetsEveryPairMeetOnce) {
  for (int players = 1; players <= 40; ++players) {
    const auto met = meetings(players, tournament_rounds(players), tournament_partner);
    EXPECT_EQ(std::ssize(met), players * (players - 1) / 2) << players;
    for (const auto& [pair, times] : met)
      EXPECT_EQ(times, 1) << pair.first << " and " << pair.second << " of " << players;
  }
}

TEST(Tournament, TakesOneRoundLessThanThereArePlayersWhereTheyAreEven) {
  EXPECT_EQ(tournament_rounds(0), 0);
  EXPECT_EQ(tournament_rounds(1), 0);
  EXPECT_EQ(tournament_rounds(2), 1);
  EXPECT_EQ(tournament_rounds(7), 7);
  EXPECT_EQ(tournament_rounds(1000), 999);
}

TEST(Tournament, KeepsEveryPlayerOfAnEvenNumberBusy) {
  for (int round = 0; round < tournament_rounds(8); ++round)
    for (int player = 0; player < 8; ++player)
      EXPECT_TRUE(tournament_partner(8, round, player)) << round << " " << player;
}

TEST(Ring, LetsNeighboursMeetOnceAndNobodyElse) {
  for (int players = 1; players <= 20; ++players) {
    std::set<Pair> wanted;
    for (int p = 0; p < players && players > 1; ++p)
      wanted.insert(std::minmax(p, (p + 1) % players));
    const auto met = meetings(players, ring_rounds(players), ring_partner);
    std::set<Pair> found;
    for (const auto& [pair, times] : met) {
      EXPECT_EQ(times, 1) << players;
      found.insert(pair);
    }
    EXPECT_EQ(found, wanted) << players;
  }
}

}  // namespace
}  // namespace hpl
