#include "hpl/machine/host/memory_nodes.h"

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/text/text_value.h"
#include "hwloc_handles.h"

namespace hpl {
namespace {

Topology load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

std::string joined(const std::vector<std::string>& words) {
  if (words.size() < 2) return fmt::format("{}", fmt::join(words, ""));
  return fmt::format("{} and {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

std::string described(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  return fmt::format("NUMA node{} {}", words.size() > 1 ? "s" : "", joined(words));
}

}  // namespace

std::int64_t parse_node_memory(std::string_view meminfo) {
  std::int64_t kilobytes = 0;
  for (const auto line : split_lines(meminfo)) {
    const auto words = split_words(line);  // Node 0 MemFree: 123 kB
    if (words.size() < 4) continue;
    if (words[2] == "MemFree:" || words[2] == "Inactive(file):" || words[2] == "SReclaimable:")
      kilobytes += parse_integer(words[3]).value_or(0);
  }
  return kilobytes * 1024;
}

std::vector<MemoryNode> memory_nodes(const FileReader& read) {
  const Topology topology = load_topology();
  if (!topology) return {};
  std::vector<MemoryNode> nodes;
  const auto allowed = hwloc_topology_get_allowed_nodeset(topology.get());
  for (int node = hwloc_bitmap_first(allowed); node >= 0; node = hwloc_bitmap_next(allowed, node))
    nodes.push_back(
        {node,
         parse_node_memory(
             read(fmt::format("/sys/devices/system/node/node{}/meminfo", node)).value_or(""))});
  if (nodes.size() < 2) nodes.clear();
  return nodes;
}

std::vector<int> nodes_for(std::int64_t bytes, const std::vector<int>& near,
                           const std::vector<MemoryNode>& nodes, int ranks) {
  std::vector<int> chosen, others;
  std::int64_t there = 0;
  for (const MemoryNode& node : nodes) {
    const bool is_near = std::find(near.begin(), near.end(), node.number) != near.end();
    (is_near ? chosen : others).push_back(node.number);
    if (is_near) there += node.bytes;
  }
  if (chosen.empty()) return {};
  // A little of each node stays for everybody else.
  if (there - there / 20 < bytes * std::max(1, ranks)) {
    chosen.insert(chosen.end(), others.begin(), others.end());
    std::sort(chosen.begin(), chosen.end());
  }
  return chosen;
}

void place_memory(void* data, std::size_t bytes, const std::vector<int>& nodes) {
  const Topology topology = nodes.empty() ? nullptr : load_topology();
  const Bitmap set(hwloc_bitmap_alloc());
  if (!topology || !set) return;
  for (const int node : nodes)
    hwloc_bitmap_set(set.get(), static_cast<unsigned>(node));
  static_cast<void>(hwloc_set_area_membind(
      topology.get(), data, bytes, set.get(),
      nodes.size() > 1 ? HWLOC_MEMBIND_INTERLEAVE : HWLOC_MEMBIND_BIND, HWLOC_MEMBIND_BYNODESET));
}

std::vector<NodeShare> node_shares(const void* data, std::size_t bytes) {
  const Topology topology = bytes == 0 ? nullptr : load_topology();
  const Bitmap set(hwloc_bitmap_alloc());
  if (!topology || !set) return {};
  constexpr std::size_t kSamples = 1000;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t pages = (bytes + page - 1) / page, samples = std::min(pages, kSamples);
  std::map<int, int> counts;
  for (std::size_t i = 0; i < samples; ++i) {
    const auto* const at = static_cast<const std::byte*>(data) + i * pages / samples * page;
    if (hwloc_get_area_memlocation(topology.get(), at, 1, set.get(), HWLOC_MEMBIND_BYNODESET) != 0)
      return {};
    if (const int node = hwloc_bitmap_first(set.get()); node >= 0) ++counts[node];
  }
  std::vector<NodeShare> shares;
  int found = 0;
  for (const auto& [node, count] : counts)
    found += count;
  for (const auto& [node, count] : counts)
    shares.push_back({node, static_cast<double>(count) / found});
  return shares;
}

std::string describe_nodes(const std::vector<int>& nodes) {
  std::vector<std::string> words;
  for (const int node : nodes)
    words.push_back(fmt::format("{}", node));
  return described(words);
}

std::string describe_nodes(const std::vector<NodeShare>& shares) {
  std::vector<std::string> words;
  for (const NodeShare& part : shares)
    words.push_back(shares.size() > 1 ? fmt::format("{} ({:.0f} %)", part.number, 100 * part.share)
                                      : fmt::format("{}", part.number));
  return described(words);
}

}  // namespace hpl
