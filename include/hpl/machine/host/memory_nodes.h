#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/machine/host/text_file.h"

namespace hpl {

/// A NUMA node and the memory of it that can be had: what is free and what the system would drop.
struct MemoryNode {
  int number = 0;
  std::int64_t bytes = 0;

  bool operator==(const MemoryNode&) const = default;
};

/// The NUMA nodes whose memory this process may use, ascending; empty where the system does not
/// tell, or has only one.
std::vector<MemoryNode> memory_nodes(const FileReader& read = read_text_file);

/// The memory at hand on a node, from its meminfo ("Node 0 MemFree: 123 kB"). Pure.
std::int64_t parse_node_memory(std::string_view meminfo);

/// Nodes on which `bytes` of host memory are to lie that belong to a device near `near`: those,
/// where they have enough for `ranks` ranks that do the same, else all others beside them, so that
/// no part of the memory is all far and another all near. Empty where nothing is known of the
/// device's place or of the nodes. Pure.
std::vector<int> nodes_for(std::int64_t bytes, const std::vector<int>& near,
                           const std::vector<MemoryNode>& nodes, int ranks);

/// Has pages of memory that nobody has touched come from these nodes, in turn where they are
/// several. A full node sends to another one, and what the system refuses changes nothing: memory
/// is at worst where it would be anyway.
void place_memory(void* data, std::size_t bytes, const std::vector<int>& nodes);

/// A NUMA node and the part of some memory that lies there.
struct NodeShare {
  int number = 0;
  double share = 0;

  bool operator==(const NodeShare&) const = default;
};
/// The nodes of memory that has been touched, by samples; empty if the system does not say.
std::vector<NodeShare> node_shares(const void* data, std::size_t bytes);

/// "NUMA node 1", "NUMA nodes 0 and 1", "NUMA nodes 0 (25 %) and 1 (75 %)"; empty without any.
/// Pure.
std::string describe_nodes(const std::vector<int>& nodes);
std::string describe_nodes(const std::vector<NodeShare>& shares);

}  // namespace hpl
