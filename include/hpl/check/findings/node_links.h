#pragma once

#include <span>
#include <utility>
#include <vector>

#include "hpl/check/findings/check_report.h"

namespace hpl {

/// A check of more nodes keeps no list of all links between them.
inline constexpr int kNodesWithAllLinks = 64;

/// Time and memory of a full check, about.
struct CheckSize {
  double seconds = 0;     ///< if nothing is measured again
  double node_pairs = 0;  ///< seconds of that, for all pairs of nodes
  double document_bytes = 0;
};
/// The size for `ranks` ranks on `nodes` nodes, equally many on each.
CheckSize size_of_check(int ranks, int nodes);

/// The median of the links of each node, after the rank that measured them: figures without a peer.
std::vector<std::pair<int, Measurement>> node_medians(std::span<const RankRecord> ranks);

/// Keeps, of links between more than kNodesWithAllLinks nodes, those of findings and the worst of
/// each node. Adds, without a peer, the median of all links of a node to the rank that measured
/// them. The report must be judged before.
void condense_node_links(CheckReport& report);

}  // namespace hpl
