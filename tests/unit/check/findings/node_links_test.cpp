#include "hpl/check/findings/node_links.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "hpl/base/record/record.h"
#include "hpl/check/findings/population.h"
#include "made_up_cluster.h"

namespace hpl {
namespace {

using test::figure;
using test::sound_cluster;

int node_figures(const CheckReport& report, bool of_pairs) {
  int count = 0;
  for (const RankRecord& rank : report.ranks)
    for (const Measurement& one : rank.measurements)
      count += (one.metric == Figure::NodeLatency || one.metric == Figure::NodeBandwidth ||
                one.metric == Figure::NodeDeviceBandwidth) &&
               (one.peer != kNoPeer) == of_pairs;
  return count;
}

CheckReport judged(const std::vector<RankRecord>& ranks) {
  return judge(CheckForm::Full, ranks, {0.05});
}

TEST(NodeLinks, OfAsManyNodesAsFitAListAreAllKept) {
  CheckReport report = judged(sound_cluster(kNodesWithAllLinks, 1));
  const auto before = report.ranks;
  condense_node_links(report);
  EXPECT_EQ(report.ranks, before);
}

TEST(NodeLinks, OfMoreNodesAreTheWorstOfEachTheOnesOfFindingsAndTheMedians) {
  auto ranks = sound_cluster(100, 2);
  figure(ranks, Figure::NodeBandwidth, 20, 40) = 3;
  for (int node = 0; node < 100; ++node)
    if (node != 30)
      figure(ranks, Figure::NodeLatency, 2 * std::min(node, 30), 2 * std::max(node, 30)) = 40;
  CheckReport report = judged(ranks);
  const auto summaries = summarize(report.ranks);
  condense_node_links(report);
  EXPECT_EQ(node_figures(report, false), 3 * 100);
  EXPECT_LE(node_figures(report, true), 3 * (100 + 2));
  EXPECT_EQ(figure(report.ranks, Figure::NodeBandwidth, 20, 40), 3);
  EXPECT_EQ(figure(report.ranks, Figure::NodeLatency, 60), 40);
  EXPECT_NEAR(figure(report.ranks, Figure::NodeBandwidth, 20), 24, 0.5);
  EXPECT_NEAR(figure(report.ranks, Figure::NodeDeviceBandwidth, 20), 46, 1);
  EXPECT_EQ(report.summaries[0].count, summaries[0].count);
}

/// The expected size of a document is near its size, for few and for many nodes.
TEST(NodeLinks, AndRanksMakeDocumentsOfTheExpectedSize) {
  for (const auto& [nodes, each] : {std::pair(8, 8), {64, 2}, {200, 4}}) {
    auto ranks = sound_cluster(nodes, each);
    for (RankRecord& rank : ranks)
      for (int peer = rank.rank + 1; peer < (rank.node + 1) * each; ++peer)
        for (const Figure metric : {Figure::PairLatency, Figure::PairBandwidth,
                                    Figure::DevicePairBandwidth, Figure::DeviceMessageBandwidth})
          rank.measurements.push_back({metric, peer, 12.345678901234});
    CheckReport report = judged(ranks);
    condense_node_links(report);
    CheckDocument document{.check = report};
    const double bytes = static_cast<double>(json_text(to_json_value(document)).size());
    const double expected = size_of_check(nodes * each, nodes).document_bytes;
    EXPECT_NEAR(expected / bytes, 1, 0.25) << nodes << " x " << each << ": " << bytes;
  }
}

TEST(NodeLinks, OfAThousandNodesTakeLessThanAMinute) {
  EXPECT_LT(size_of_check(8192, 1024).seconds, 60);
  EXPECT_LT(size_of_check(8192, 1024).document_bytes, 40e6);
  EXPECT_LT(size_of_check(8, 1).seconds, 20);
}

}  // namespace
}  // namespace hpl
