#include "hpl/machine/host/topology.h"

#include <sched.h>

#include <algorithm>
#include <map>
#include <thread>
#include <tuple>

#include "affinity_mask.h"
#include "hwloc_handles.h"

namespace hpl {
namespace {

/// The host within the control group's cpuset; null where hwloc cannot look.
Topology load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

/// Cores with a hardware thread in mask; all of the topology without a mask.
CoreSet cores_of(hwloc_topology_t topology, hwloc_const_cpuset_t mask) {
  std::map<int, Core> by_id;
  const int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
  for (int i = 0; i < count; ++i) {
    const auto unit = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, static_cast<unsigned>(i));
    if (mask != nullptr && hwloc_bitmap_isset(mask, unit->os_index) == 0) continue;
    const auto core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
    const int cpu = static_cast<int>(unit->os_index);
    // The complete set also holds siblings outside the cpuset: the id is then the same in every
    // container.
    const int id = core != nullptr ? hwloc_bitmap_first(core->complete_cpuset) : cpu;
    const int node = unit->nodeset != nullptr ? hwloc_bitmap_first(unit->nodeset) : 0;
    const auto [place, added] =
        by_id.try_emplace(id, Core{.cpu = cpu, .id = id, .numa_node = std::max(node, 0)});
    if (!added) place->second.cpu = std::min(place->second.cpu, cpu);
  }
  CoreSet cores;
  for (const auto& [id, core] : by_id)
    cores.push_back(core);
  std::sort(cores.begin(), cores.end(), [](const Core& a, const Core& b) {
    return std::tie(a.numa_node, a.id) < std::tie(b.numa_node, b.id);
  });
  return cores;
}

/// Without a topology every hardware thread of the mask counts as a core.
CoreSet cores_of_mask() {
  CoreSet cores;
  for (const int cpu : AffinityMask::of_this_thread().cpus()) {
    cores.push_back({.cpu = cpu, .id = cpu, .numa_node = 0});
  }
  if (cores.empty()) {
    cores.push_back({});
  }
  return cores;
}

/// Of the first processor that has a name, or of the whole machine.
const char* model_of(hwloc_topology_t topology) {
  constexpr const char* kModel = "CPUModel";
  for (hwloc_obj_t package = nullptr;
       (package = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PACKAGE, package)) != nullptr;)
    if (const char* const name = hwloc_obj_get_info_by_name(package, kModel)) return name;
  return hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), kModel);
}

}  // namespace

std::string cpu_model() {
  const auto topology = load_topology();
  const char* const model = topology ? model_of(topology.get()) : nullptr;
  return model != nullptr ? model : "unknown";
}

CoreSet available_cores() {
  const auto topology = load_topology();
  const Bitmap mask(hwloc_bitmap_alloc());
  if (topology && mask &&
      hwloc_get_cpubind(topology.get(), mask.get(), HWLOC_CPUBIND_THREAD) == 0) {
    auto cores = cores_of(topology.get(), mask.get());
    if (!cores.empty()) return cores;
  }
  return cores_of_mask();
}

int allowed_core_count() {
  const auto topology = load_topology();
  const auto count = topology ? static_cast<int>(cores_of(topology.get(), nullptr).size()) : 0;
  return count > 0 ? count : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace hpl
