#include "hpl/machine/host/placement.h"

#include <hwloc.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "affinity_mask.h"
#include "hpl/machine/host/launch.h"
#include "hwloc_handles.h"

namespace hpl {
namespace {

/// A topology with its PCI devices; null where hwloc cannot look.
Topology load_with_devices(const std::string& xml) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  if (!xml.empty() &&
      hwloc_topology_set_xmlbuffer(raw, xml.c_str(), static_cast<int>(xml.size()) + 1) != 0)
    return nullptr;
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

/// Every rank gets a device of its own: bipartite matching, each rank trying its devices in order.
class Matching {
 public:
  explicit Matching(const std::vector<std::vector<std::string>>& visible) : visible_(visible) {}

  bool find(std::size_t rank) {
    tried_.clear();
    return augment(rank);
  }

  int index_of(std::size_t rank) const {
    for (std::size_t i = 0; i < visible_[rank].size(); ++i) {
      const auto owner = owner_.find(visible_[rank][i]);
      if (owner != owner_.end() && owner->second == rank) return static_cast<int>(i);
    }
    return -1;
  }

 private:
  bool augment(std::size_t rank) {
    // A free one first, so that where all see the same each gets that of its number.
    for (const std::string& device : visible_[rank])
      if (owner_.try_emplace(device, rank).second) return true;
    for (const std::string& device : visible_[rank]) {
      if (!tried_.insert(device).second || !augment(owner_[device])) continue;
      owner_[device] = rank;
      return true;
    }
    return false;
  }

  const std::vector<std::vector<std::string>>& visible_;
  std::map<std::string, std::size_t> owner_;
  std::set<std::string> tried_;
};

std::vector<int> numa_nodes_of(const CoreSet& cores) {
  std::set<int> nodes;
  for (const Core& core : cores)
    nodes.insert(core.numa_node);
  return {nodes.begin(), nodes.end()};
}

}  // namespace

std::vector<int> numa_nodes_near(const std::string& bus_address, const std::string& topology_xml) {
  std::vector<int> nodes;
  const Topology topology = bus_address.empty() ? nullptr : load_with_devices(topology_xml);
  if (!topology) return nodes;
  hwloc_obj_t object = hwloc_get_pcidev_by_busidstring(topology.get(), bus_address.c_str());
  if (object != nullptr) object = hwloc_get_non_io_ancestor_obj(topology.get(), object);
  // Attached to the machine as a whole, a device is near to all: nothing is known.
  if (object == nullptr || object->nodeset == nullptr || object->parent == nullptr) return nodes;
  for (int node = hwloc_bitmap_first(object->nodeset); node >= 0;
       node = hwloc_bitmap_next(object->nodeset, node))
    nodes.push_back(node);
  return nodes;
}

NearCores cores_near(const CoreSet& allowed, const std::vector<int>& numa_nodes,
                     const std::string& bus_address) {
  if (numa_nodes.empty()) return {allowed, std::nullopt};
  CoreSet near;
  for (const Core& core : allowed)
    if (std::binary_search(numa_nodes.begin(), numa_nodes.end(), core.numa_node))
      near.push_back(core);
  if (!near.empty() || allowed.empty()) return {near, std::nullopt};
  const auto nodes = numa_nodes_of(allowed);
  return {allowed, fmt::format("the cores of the rank with device {} are in NUMA node{} {}, the "
                               "device is at {}: copies to and from it cross NUMA nodes",
                               bus_address, nodes.size() == 1 ? "" : "s", fmt::join(nodes, ", "),
                               fmt::join(numa_nodes, ", "))};
}

std::optional<std::string> few_cores_remark(int cores_of_rank) {
  // One thread computes or calls MPI, the other one feeds the device.
  constexpr int kLeastCores = 2;
  if (cores_of_rank >= kLeastCores) return std::nullopt;
  return "a rank with a GPU has one core, so its threads sleep while they wait: give each rank "
         "two or more (--cpus-per-task)";
}

std::string device_word(const std::string& bus_address, const std::string& uuid) {
  return uuid.empty() ? bus_address : bus_address + "/" + uuid;
}

std::optional<std::vector<int>> assign_devices(
    const std::vector<std::vector<std::string>>& visible) {
  Matching matching(visible);
  for (std::size_t rank = 0; rank < visible.size(); ++rank)
    if (!matching.find(rank)) return std::nullopt;
  std::vector<int> indices;
  for (std::size_t rank = 0; rank < visible.size(); ++rank)
    indices.push_back(matching.index_of(rank));
  return indices;
}

std::optional<int> assign_what_is_there(const std::vector<std::vector<std::string>>& visible,
                                        int rank) {
  const auto mine = static_cast<std::size_t>(rank);
  if (visible[mine].empty()) return std::nullopt;
  std::vector<std::vector<std::string>> some;
  std::size_t place = 0;  // of this rank among them
  for (std::size_t i = 0; i < visible.size(); ++i) {
    if (i == mine) place = some.size();
    if (!visible[i].empty()) some.push_back(visible[i]);
  }
  if (place < visible[mine].size() && std::ranges::count(some, visible[mine]) == std::ssize(some))
    return static_cast<int>(place);
  const auto assigned = assign_devices(some);
  return assigned ? std::optional((*assigned)[place]) : std::nullopt;
}

std::optional<std::string> lone_devices_remark(
    const std::vector<std::vector<std::string>>& visible) {
  std::set<std::string> addresses;
  for (const std::vector<std::string>& devices : visible) {
    if (devices.size() != 1) return std::nullopt;
    addresses.insert(devices.front().substr(0, devices.front().find('/')));
  }
  if (addresses.size() < 2) return std::nullopt;
  return "each rank sees one GPU only: if a control group hides the others (--gpus-per-task), GPUs "
         "share panels through the host, 17 us a column instead of 7; --gpus-per-node with "
         "--gpu-bind=none shows all GPUs to all ranks";
}

int local_rank(int rank_on_node, int ranks_on_node, const EnvironmentLookup& lookup) {
  return ranks_on_node > 1 ? rank_on_node : launch(lookup).rank_on_host;
}

std::string visibility_text(const std::vector<std::string>& variables,
                            const EnvironmentLookup& lookup) {
  std::vector<std::string> settings;
  for (const std::string& name : variables)
    if (const auto value = lookup(name.c_str()))
      settings.push_back(fmt::format("{}={}", name, *value));
  return fmt::format("{}", fmt::join(settings, ", "));
}

std::optional<std::string> settle_this_thread(const CoreSet& cores,
                                              const std::vector<int>& numa_nodes) {
  std::vector<int> cpus;
  for (const Core& core : cores)
    cpus.push_back(core.cpu);
  if (const int error = AffinityMask::of_cpus(cpus).apply(); error != 0)
    return fmt::format("cannot bind a rank to its cores: {}", std::strerror(error));
  if (numa_nodes.empty()) return std::nullopt;
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return std::nullopt;
  const Topology topology(raw);
  const Bitmap nodes(hwloc_bitmap_alloc());
  if (!nodes || hwloc_topology_load(raw) != 0) return std::nullopt;
  for (const int node : numa_nodes)
    hwloc_bitmap_set(nodes.get(), static_cast<unsigned>(node));
  // Not strict: a full node sends to the next one. Memory is at worst where it would be anyway, so
  // a refusal, as of containers, is nothing to tell.
  static_cast<void>(hwloc_set_membind(raw, nodes.get(), HWLOC_MEMBIND_BIND,
                                      HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET));
  return std::nullopt;
}

}  // namespace hpl
