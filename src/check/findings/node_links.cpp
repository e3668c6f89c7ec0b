#include "hpl/check/findings/node_links.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "hpl/base/number/statistics.h"
#include "hpl/check/findings/population.h"

namespace hpl {
namespace {

/// The links of one node, by one metric.
struct NodeLinks {
  std::vector<double> values;
  std::pair<int, int> worst;  ///< ranks at its ends, the lower first
  double worst_value = 0;
};

constexpr std::array<Figure, 3> kNodeFigures{Figure::NodeLatency, Figure::NodeBandwidth,
                                             Figure::NodeDeviceBandwidth};

/// By the rank that measures.
std::map<int, NodeLinks> links_of_nodes(std::span<const RankRecord> ranks, Figure metric) {
  std::map<int, NodeLinks> nodes;
  for (const RankRecord& rank : ranks)
    for (const Measurement& one : rank.measurements) {
      if (one.metric != metric) continue;
      for (const int end : {rank.rank, one.peer}) {
        NodeLinks& node = nodes[end];
        if (node.values.empty() || badness(metric, one.value) > badness(metric, node.worst_value))
          node.worst = {rank.rank, one.peer}, node.worst_value = one.value;
        node.values.push_back(one.value);
      }
    }
  return nodes;
}

}  // namespace

std::vector<std::pair<int, Measurement>> node_medians(std::span<const RankRecord> ranks) {
  std::vector<std::pair<int, Measurement>> medians;
  for (const Figure metric : kNodeFigures)
    for (auto& [rank, node] : links_of_nodes(ranks, metric))
      medians.push_back({rank, {metric, kNoPeer, median(std::move(node.values))}});
  return medians;
}

CheckSize size_of_check(int ranks, int nodes) {
  // Products of processor and device, twice; then a round of pairs, on links of 2 GB/s or more, and
  // one of devices, on links of 10 GB/s.
  constexpr double kAlone = 15, kRound = 0.03, kDeviceRound = 0.01;
  // A rank of a document without its links, and a figure of a link.
  constexpr double kRankBytes = 1900, kFigureBytes = 80;
  const double each = static_cast<double>(ranks) / nodes;
  const double pairs_of_ranks = ranks * (each - 1) / 2;
  const double pairs_of_nodes = nodes <= kNodesWithAllLinks ? 0.5 * nodes * (nodes - 1) : 2 * nodes;
  return {.seconds = kAlone + kRound * (nodes + 3 * each) +
                     kDeviceRound * std::min(nodes, kNodesWithAllLinks),
          .node_pairs = kRound * nodes,
          .document_bytes =
              kRankBytes * ranks + kFigureBytes * (4 * pairs_of_ranks + 3 * pairs_of_nodes)};
}

void condense_node_links(CheckReport& report) {
  if (report.node_count <= kNodesWithAllLinks) return;
  const std::vector<std::pair<int, Measurement>> medians = node_medians(report.ranks);
  for (const Figure metric : kNodeFigures) {
    std::set<std::pair<int, int>> kept;
    for (const auto& [rank, node] : links_of_nodes(report.ranks, metric))
      kept.insert(node.worst);
    for (const RankFinding& finding : report.findings)
      if (finding.figure == metric) kept.insert(std::minmax(finding.rank, finding.peer));
    for (RankRecord& rank : report.ranks)
      std::erase_if(rank.measurements, [&](const Measurement& one) {
        return one.metric == metric && !kept.contains({rank.rank, one.peer});
      });
  }
  for (const auto& [rank, median] : medians)
    report.ranks[rank].measurements.push_back(median);
}

}  // namespace hpl
