#include "check/probes/clock_offset.h"

#include <array>
#include <map>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "check/probes/pairing.h"
#include "check/probes/placement.h"
#include "check/probes/repetition.h"
#include "unit/check/findings/made_up_cluster.h"

namespace hpl {
namespace {

constexpr std::int64_t kNow = 1'767'412'800'000'000'000;  // some day in 2026

TEST(ClockOffset, IsTheDifferenceWhereBothWaysTakeEquallyLong) {
  // This clock is 250 ms ahead; each way takes 2 us.
  const ClockTrip trip{kNow + 250'000'000, kNow + 2'000, kNow + 250'004'000};
  EXPECT_NEAR(clock_offset(std::array{trip}), 0.25, 1e-9);
}

TEST(ClockOffset, IsNegativeForAClockThatIsBehind) {
  const ClockTrip trip{kNow - 1'000, kNow, kNow - 999};
  EXPECT_NEAR(clock_offset(std::array{trip}), -999.5e-9, 1e-9);
}

TEST(ClockOffset, GoesByTheFastestTrip) {
  const std::array trips{ClockTrip{kNow, kNow + 900'000, kNow + 1'000'000},  // waited for its turn
                         ClockTrip{kNow, kNow + 5'000, kNow + 10'000},
                         ClockTrip{kNow, kNow, kNow + 20'000}};
  EXPECT_NEAR(clock_offset(trips), 0, 1e-9);
}

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

FileReader files(std::map<std::string, std::string> tree) {
  return [tree = std::move(tree)](const std::string& path) -> std::optional<std::string> {
    const auto found = tree.find(path);
    return found == tree.end() ? std::nullopt : std::optional(found->second);
  };
}

CoreSet cores_on(std::vector<int> nodes) {
  CoreSet cores;
  for (const int node : nodes)
    cores.push_back({.cpu = static_cast<int>(cores.size()), .id = 0, .numa_node = node});
  return cores;
}

// Two sockets of two parts each.
const std::string kDistances = "10 12 32 32\n";

TEST(Placement, FindsTheNumaNodeOfADeviceByItsAddress) {
  const auto read = files({{"/sys/bus/pci/devices/0000:1b:00.0/numa_node", "3\n"}});
  EXPECT_EQ(device_numa_node("0000:1B:00.0", read), 3);
}

TEST(Placement, DoesNotKnowTheNodeWithoutAnAddressOrWhenTheFirmwareDoesNotSay) {
  const auto read = files({{"/sys/bus/pci/devices/0000:1b:00.0/numa_node", "-1\n"}});
  EXPECT_EQ(device_numa_node("", read), -1);
  EXPECT_EQ(device_numa_node("0000:1b:00.0", read), -1);
  EXPECT_EQ(device_numa_node("0000:2b:00.0", read), -1);
}

TEST(Placement, CoresOfTheOtherSocketAreFar) {
  const auto read = files({{"/sys/devices/system/node/node0/distance", kDistances}});
  EXPECT_TRUE(is_far(cores_on({2, 3}), 0, read));
  EXPECT_FALSE(is_far(cores_on({0}), 0, read));
}

TEST(Placement, CoresOfAnotherPartOfTheSameSocketAreNear) {
  const auto read = files({{"/sys/devices/system/node/node0/distance", kDistances}});
  EXPECT_FALSE(is_far(cores_on({1}), 0, read));
}

TEST(Placement, OneNearCoreIsEnough) {
  const auto read = files({{"/sys/devices/system/node/node0/distance", kDistances}});
  EXPECT_FALSE(is_far(cores_on({3, 0}), 0, read));
}

TEST(Placement, WithoutDistancesAnotherNodeIsFar) {
  EXPECT_TRUE(is_far(cores_on({1}), 0, files({})));
  EXPECT_FALSE(is_far(cores_on({1}), 1, files({})));
}

TEST(Placement, NothingIsFarFromADeviceWhosePlaceIsUnknown) {
  EXPECT_FALSE(is_far(cores_on({1}), -1, files({})));
}

using test::figure;
using test::sound_cluster;

FigureFlags flags(std::initializer_list<Figure> metrics) {
  FigureFlags set{};
  for (const Figure metric : metrics)
    set[static_cast<std::size_t>(metric)] = true;
  return set;
}

FigureFlags doubtful_of(const std::vector<RankRecord>& ranks) {
  return doubtful_metrics(judge(CheckForm::Full, ranks, {0.05}));
}

TEST(Repetition, IsForOutliersOfAnyOwner) {
  auto ranks = sound_cluster(4, 2);
  EXPECT_EQ(doubtful_of(ranks), flags({}));
  figure(ranks, Figure::HostDgemm, 3) = 40;
  figure(ranks, Figure::DeviceDgemmSustained, 5) = 30000;
  figure(ranks, Figure::NodeBandwidth, 0, 2) = 3;
  EXPECT_EQ(doubtful_of(ranks),
            flags({Figure::HostDgemm, Figure::DeviceDgemmSustained, Figure::NodeBandwidth}));
}

TEST(Repetition, IsForProcessorsThatAreFurtherApartThanTheTolerance) {
  auto ranks = sound_cluster(4, 2);
  const double usual = figure(ranks, Figure::HostDgemm, 0);
  // Most are slowed down as far as one is slow, which is no outlier then.
  for (int rank = 0; rank < 7; ++rank)
    figure(ranks, Figure::HostDgemm, rank) = 0.92 * usual;
  EXPECT_EQ(doubtful_of(ranks), flags({Figure::HostDgemm}));
  for (int rank = 0; rank < 7; ++rank)
    figure(ranks, Figure::HostDgemm, rank) = 0.96 * usual;
  EXPECT_EQ(doubtful_of(ranks), flags({}));
}

TEST(Repetition, IsNotForTwoProcessorsOfWhichNeitherIsTheSlowOne) {
  auto ranks = sound_cluster(1, 2);
  figure(ranks, Figure::HostDgemm, 1) = 10;
  EXPECT_EQ(doubtful_of(ranks), flags({}));
}

TEST(Repetition, IsNotForRanksThatShareCores) {
  auto ranks = sound_cluster(4, 2);
  figure(ranks, Figure::HostDgemm, 3) = 40;
  ranks[0].oversubscribed = true;
  EXPECT_EQ(doubtful_of(ranks), flags({}));
}

TEST(Repetition, EndsWhenNothingBecomesBetterForHalfOfTheTime) {
  Patience patience(0.005, 8, 60);
  EXPECT_TRUE(patience.goes_on(1, 0.2, false));
  EXPECT_TRUE(patience.goes_on(8.9, 0.004, false));
  EXPECT_FALSE(patience.goes_on(9.1, 0.004, false));
  EXPECT_TRUE(patience.goes_on(20, 0.006, false));
  EXPECT_TRUE(patience.goes_on(39, 0, false));
  EXPECT_FALSE(patience.goes_on(41, 0, false));
}

TEST(Repetition, EndsAfterAMinuteHoweverTheFiguresChange) {
  Patience patience(0.005, 8, 60);
  EXPECT_TRUE(patience.goes_on(59, 0.2, false));
  EXPECT_FALSE(patience.goes_on(60, 0.2, false));
}

TEST(Repetition, GoesOnForAMinuteWhereOtherWorkCrowdsARank) {
  for (const int count : {2, 3}) {  // two are compared with nothing
    auto ranks = sound_cluster(1, count);
    for (Measurement& one : ranks[1].measurements)
      one.crowded = one.metric == Figure::HostDgemm;
    EXPECT_EQ(doubtful_of(ranks), flags({}));  // and is as fast as others all the same
    figure(ranks, Figure::HostDgemm, 1) = 40;
    EXPECT_EQ(doubtful_of(ranks), count == 2 ? flags({}) : flags({Figure::HostDgemm}));
  }
  Patience patience(0.005, 8, 60);
  EXPECT_TRUE(patience.goes_on(59, 0, true));
  EXPECT_FALSE(patience.goes_on(60, 0, true));
}

TEST(Repetition, KeepsTheBestOfEachCore) {
  RankRecord record{.core_products = {{50, 1, 11}, {30, 1, 8}}};
  const RankRecord again{.core_products = {{32, 1.1, 8}, {48, 1, 11}}};
  EXPECT_DOUBLE_EQ(keep_better(record, again), 0.6);
  EXPECT_EQ(record.core_products, (std::vector<CoreProducts>{{50, 1.1, 11}, {48, 1, 11}}));
}

TEST(Repetition, OfAProbeTakesPlaceWhereItMeasuredADoubtfulMetric) {
  const auto ranks = sound_cluster(1, 1);
  const FigureFlags measured = metrics_of(ranks[0].measurements);
  EXPECT_TRUE(have_common(measured, flags({Figure::HostDgemm})));
  EXPECT_FALSE(have_common(measured, flags({Figure::NodeBandwidth})));
  EXPECT_FALSE(have_common(measured, flags({})));
}

TEST(Repetition, KeepsTheBetterOfTwoFiguresAndEveryFailure) {
  RankRecord record{.measurements = {{Figure::HostDgemm, kNoPeer, 40},
                                     {Figure::PairLatency, 1, 3},
                                     {Figure::PairLatency, 2, 3},
                                     {Figure::ClockOffset, kNoPeer, -0.5},
                                     {Figure::DeviceTemperature, kNoPeer, 60}}};
  const RankRecord again{.failed = {{"a probe", "broken"}},
                         .measurements = {{Figure::HostDgemm, kNoPeer, 80},
                                          {Figure::PairLatency, 1, 4},
                                          {Figure::PairLatency, 2, 1},
                                          {Figure::ClockOffset, kNoPeer, 0.1},
                                          {Figure::DeviceTemperature, kNoPeer, 50}}};
  EXPECT_DOUBLE_EQ(keep_better(record, again), 1);
  std::vector<double> values;
  for (const Measurement& one : record.measurements)
    values.push_back(one.value);
  EXPECT_EQ(values, (std::vector<double>{80, 3, 1, 0.1, 60}));
  ASSERT_EQ(record.failed.size(), 1U);
  EXPECT_EQ(record.failed[0].probe, "a probe");
}

}  // namespace
}  // namespace hpl
