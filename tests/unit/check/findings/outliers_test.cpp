#include <algorithm>

#include <gtest/gtest.h>

#include "hpl/check/findings/finding.h"
#include "made_up_cluster.h"
#include "support/holds.h"

namespace hpl {
namespace {

using test::figure;
using test::sound_cluster;

constexpr double kFivePercent = 0.05;

TEST(Outliers, AreNotFoundInASoundClusterOfHundredsOfRanks) {
  EXPECT_TRUE(find_outliers(sound_cluster(60, 8), kFivePercent).empty());
}

TEST(Outliers, NameTheOneSlowDeviceOfHundreds) {
  auto ranks = sound_cluster(60, 8);
  figure(ranks, Figure::DeviceDgemmSustained, 217) = 40000;
  const auto found = find_outliers(ranks, kFivePercent);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::Slow);
  EXPECT_EQ(found[0].rank, 217);
  EXPECT_EQ(found[0].peer, kNoPeer);
  EXPECT_EQ(found[0].figure, Figure::DeviceDgemmSustained);
  EXPECT_NE(found[0].text.find("device DGEMM, sustained 40000 GFLOP/s, 24.5 % below the median of"),
            std::string::npos)
      << found[0].text;
}

TEST(Outliers, BeginBeyondTheTolerance) {
  auto ranks = sound_cluster(20, 8);
  for (RankRecord& rank : ranks)
    figure(ranks, Figure::HostDgemm, rank.rank) = 100;
  figure(ranks, Figure::HostDgemm, 3) = 95.1;
  EXPECT_TRUE(find_outliers(ranks, kFivePercent).empty());
  figure(ranks, Figure::HostDgemm, 3) = 94.9;
  ASSERT_EQ(find_outliers(ranks, kFivePercent).size(), 1U);
  EXPECT_EQ(find_outliers(ranks, kFivePercent)[0].threshold, 95);
  EXPECT_TRUE(find_outliers(ranks, 0.06).empty());
}

TEST(Outliers, AreWarningsUpToTwiceTheTolerance) {
  auto ranks = sound_cluster(20, 8);
  for (RankRecord& rank : ranks)
    figure(ranks, Figure::HostDgemm, rank.rank) = 100;
  for (const auto& [value, severity] :
       {std::pair(90.1, Severity::Warning), std::pair(89.9, Severity::Slow)}) {
    figure(ranks, Figure::HostDgemm, 3) = value;
    EXPECT_EQ(find_outliers(ranks, kFivePercent)[0].severity, severity) << value;
  }
}

/// Two GPUs of a virtual machine are as far from the host's memory as that.
TEST(Outliers, AreNoCopiesToTheHostThatAreEightPercentApart) {
  auto ranks = sound_cluster(1, 4);
  const auto copies = [&](double share) {
    for (RankRecord& rank : ranks)
      for (const Figure way : {Figure::HostToDevice, Figure::DeviceToHost}) {
        std::erase_if(rank.measurements, [&](const Measurement& one) { return one.metric == way; });
        rank.measurements.push_back({way, kNoPeer, rank.rank == 3 ? 55 * share : 55});
      }
  };
  copies(0.92);
  EXPECT_TRUE(find_outliers(ranks, kFivePercent).empty());
  copies(0.5);  // half of the lanes
  const auto found = find_outliers(ranks, kFivePercent);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].severity, Severity::Slow);
}

TEST(Outliers, OfALinkWithADisturbedEndBlameNobody) {
  auto ranks = sound_cluster(40, 2);
  for (Measurement& one : ranks[0].measurements)
    if (one.metric == Figure::NodeBandwidth && one.peer == 6) one.crowded = true, one.value = 1;
  const auto found = find_outliers(ranks, kFivePercent);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].basis, Basis::Disturbed);
  EXPECT_EQ(found[0].severity, Severity::Warning);
}

TEST(Outliers, AreNoneOfCoresThatOtherWorkCrowds) {
  auto ranks = sound_cluster(1, 5);
  const auto crowd = [&](int rank) {
    for (Measurement& one : ranks[static_cast<std::size_t>(rank)].measurements)
      if (one.metric == Figure::HostDgemm) one.crowded = true, one.value = 40;
  };
  crowd(0);
  crowd(1);
  crowd(2);
  figure(ranks, Figure::HostDgemm, 4) = 100;
  const auto found = find_outliers(ranks, kFivePercent);
  ASSERT_EQ(found.size(), 4U);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(found[rank].severity, Severity::Warning);
    EXPECT_EQ(found[rank].basis, Basis::Disturbed);
    EXPECT_TRUE(test::holds(found[rank].text, {"other work used its cores", "check again"}));
  }
  // The median is that of cores that had a moment to themselves.
  EXPECT_EQ(found[3].severity, Severity::Slow);
  EXPECT_EQ(found[3].rank, 3);
}

TEST(Outliers, AreNeverTheFasterOnes) {
  auto ranks = sound_cluster(20, 8);
  figure(ranks, Figure::HostDgemm, 3) = 200;
  figure(ranks, Figure::NodeLatency, 0, 8) = 0.2;
  EXPECT_TRUE(find_outliers(ranks, kFivePercent).empty());
}

TEST(Outliers, AreComparedWithDevicesOfTheSameModelOnly) {
  auto ranks = sound_cluster(10, 8);
  for (int rank = 0; rank < 20; ++rank) {
    ranks[static_cast<std::size_t>(rank)].device_model = "NVIDIA A100";
    figure(ranks, Figure::DeviceDgemmSustained, rank) = 18000;
  }
  EXPECT_TRUE(find_outliers(ranks, kFivePercent).empty());
  figure(ranks, Figure::DeviceDgemmSustained, 7) = 16000;
  ASSERT_EQ(find_outliers(ranks, kFivePercent).size(), 1U);
  EXPECT_EQ(find_outliers(ranks, kFivePercent)[0].expected, 18000);
}

TEST(Outliers, OfTwoRanksAreNoneHoweverFarApartAndOfThreeTheSlowest) {
  for (const int count : {2, 3}) {
    auto ranks = sound_cluster(1, count);
    figure(ranks, Figure::HostDgemm, 1) = 40;
    const auto found = find_outliers(ranks, kFivePercent);
    ASSERT_EQ(found.size(), count == 2 ? 0U : 1U);
    for (const RankFinding& finding : found)
      EXPECT_EQ(finding.rank, 1);
    EXPECT_EQ(summarize(ranks)[0].worst_rank, 1);
  }
}

TEST(Outliers, OfFewerThanThreeLinksAreNone) {
  auto ranks = sound_cluster(2, 2);
  ranks[0].measurements.push_back({Figure::PairBandwidth, 1, 12});
  ranks[2].measurements.push_back({Figure::PairBandwidth, 3, 2});
  EXPECT_TRUE(find_outliers(ranks, kFivePercent).empty());
}

TEST(Outliers, NameBothEndsOfOneSlowLink) {
  auto ranks = sound_cluster(40, 4);
  figure(ranks, Figure::NodeBandwidth, 12, 80) = 6;
  const auto found = find_outliers(ranks, kFivePercent);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rank, 12);
  EXPECT_EQ(found[0].peer, 80);
  EXPECT_EQ(found[0].value, 6);
}

TEST(Outliers, NameALinkThatIsSlowForDeviceMemoryAlone) {
  auto ranks = sound_cluster(40, 4);
  figure(ranks, Figure::NodeDeviceBandwidth, 12, 80) = 20;
  const auto found = find_outliers(ranks, kFivePercent);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].figure, Figure::NodeDeviceBandwidth);
  EXPECT_EQ(found[0].rank, 12);
  EXPECT_EQ(found[0].peer, 80);
  EXPECT_NE(found[0].text.find("device to device, nodes 20"), std::string::npos) << found[0].text;
}

TEST(Outliers, ARankWithMostOfItsLinksSlowIsOneFinding) {
  auto ranks = sound_cluster(40, 4);
  for (int node = 0; node < 40; ++node)
    if (node != 20)
      figure(ranks, Figure::NodeBandwidth, 4 * std::min(node, 20), 4 * std::max(node, 20)) =
          node == 33 ? 5 : 11;
  figure(ranks, Figure::NodeBandwidth, 4, 8) = 12;  // and a link that has nothing to do with it
  const auto found = find_outliers(ranks, kFivePercent);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].rank, 80);
  EXPECT_EQ(found[0].peer, 4 * 33);
  EXPECT_NE(found[0].text.find("39 of its 39 links"), std::string::npos) << found[0].text;
  EXPECT_EQ(found[1].rank, 4);
  EXPECT_EQ(found[1].peer, 8);
}

TEST(Outliers, LinksMayScatterMoreThanProcessors) {
  auto ranks = sound_cluster(40, 4);
  figure(ranks, Figure::NodeBandwidth, 4, 8) = 24 * 0.85;
  EXPECT_TRUE(find_outliers(ranks, kFivePercent).empty());
  figure(ranks, Figure::NodeBandwidth, 4, 8) = 24 * 0.75;
  EXPECT_EQ(find_outliers(ranks, kFivePercent).size(), 1U);
}

TEST(Outliers, LatenciesAreLetOffAMicrosecond) {
  auto ranks = sound_cluster(40, 4);
  figure(ranks, Figure::NodeLatency, 4, 8) = 2.75;  // 53 % above the median
  EXPECT_TRUE(find_outliers(ranks, kFivePercent).empty());
  figure(ranks, Figure::NodeLatency, 4, 8) = 2.85;
  EXPECT_EQ(find_outliers(ranks, kFivePercent).size(), 1U);
}

TEST(Outliers, LinksInsideANodeAreNotComparedWithThoseThatLeaveIt) {
  auto ranks = sound_cluster(2, 4);
  for (RankRecord& rank : ranks) {
    rank.measurements.clear();
    // Process rows of four: three links stay inside, one leaves.
    const int next = (rank.rank + 1) % 8;
    const bool inside = next / 4 == rank.node;
    rank.measurements.push_back({Figure::RowBandwidth, next, inside ? 100.0 : 20.0});
  }
  EXPECT_TRUE(find_outliers(ranks, kFivePercent).empty());
  EXPECT_EQ(summarize(ranks).size(), 2U);
  figure(ranks, Figure::RowBandwidth, 1, 2) = 50;
  EXPECT_EQ(find_outliers(ranks, kFivePercent).size(), 1U);
}

TEST(Outliers, NorAreLinksWithinANumaNodeWithThoseBetweenTwo) {
  auto ranks = sound_cluster(1, 4);
  for (RankRecord& rank : ranks) {
    rank.measurements.clear();
    rank.numa_node = rank.rank / 3;
    for (int peer = rank.rank + 1; peer < 4; ++peer)
      rank.measurements.push_back(
          {Figure::PairBandwidth, peer, peer / 3 == rank.numa_node ? 12.0 : 5.0});
  }
  EXPECT_TRUE(find_outliers(ranks, kFivePercent).empty());
}

TEST(Outliers, AClockThatIsFarOffIsNamedWhateverTheOthersSay) {
  auto ranks = sound_cluster(3, 1);
  for (RankRecord& rank : ranks)
    rank.measurements = {{Figure::ClockOffset, kNoPeer, rank.rank == 0 ? 0 : -0.75}};
  ranks[2].measurements[0].value = 0.01;
  const auto found = find_outliers(ranks, kFivePercent);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rank, 1);
  EXPECT_EQ(found[0].text, "clock offset of a node -0.750 s, more than 0.1 s");
}

TEST(Outliers, TemperatureIsShownAndNotJudged) {
  auto ranks = sound_cluster(10, 8);
  figure(ranks, Figure::DeviceTemperature, 5) = 84;
  EXPECT_TRUE(find_outliers(ranks, kFivePercent).empty());
}

TEST(Summaries, GiveExtremesMedianAndTheWorstOfEachGroup) {
  auto ranks = sound_cluster(25, 8);
  figure(ranks, Figure::HostDgemm, 150) = 30;
  figure(ranks, Figure::HostDgemm, 151) = 90;
  figure(ranks, Figure::NodeLatency, 8, 80) = 9;
  const auto all = summarize(ranks);
  const auto of = [&](Figure metric) {
    return *std::ranges::find(all, metric, &MetricSummary::metric);
  };
  EXPECT_EQ(of(Figure::HostDgemm).count, 200);
  EXPECT_EQ(of(Figure::HostDgemm).minimum, 30);
  EXPECT_NEAR(of(Figure::HostDgemm).median, 80, 0.1);
  EXPECT_EQ(of(Figure::HostDgemm).maximum, 90);
  EXPECT_EQ(of(Figure::HostDgemm).worst_rank, 150);
  EXPECT_EQ(of(Figure::HostDgemm).group, "Xeon");
  EXPECT_EQ(of(Figure::NodeLatency).count, 300);
  EXPECT_EQ(of(Figure::NodeLatency).worst_rank, 8);
  EXPECT_EQ(of(Figure::NodeLatency).worst_peer, 80);
  EXPECT_EQ(of(Figure::NodeLatency).group, "between nodes");
}

TEST(Summaries, TakeTheMeanOfTheTwoMiddleValuesAsMedian) {
  auto ranks = sound_cluster(1, 4);
  for (int rank = 0; rank < 4; ++rank)
    figure(ranks, Figure::HostDgemm, rank) =
        std::array{4.0, 1.0, 3.0, 100.0}[static_cast<std::size_t>(rank)];
  EXPECT_EQ(summarize(ranks)[0].median, 3.5);
}

}  // namespace
}  // namespace hpl
