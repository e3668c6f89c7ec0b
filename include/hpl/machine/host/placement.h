#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hpl/machine/host/environment.h"
#include "hpl/machine/host/topology.h"

namespace hpl {

/// NUMA nodes nearest to a PCI device ("0000:1b:00.0"), ascending; empty where the system does not
/// tell. `topology_xml`: of another machine, as hwloc writes it; empty: this one.
std::vector<int> numa_nodes_near(const std::string& bus_address,
                                 const std::string& topology_xml = "");

/// Cores for a rank with a device, and what is to be said about them.
struct NearCores {
  CoreSet cores;
  std::optional<std::string> remark;
};
/// Of the cores that a rank may use those in these NUMA nodes; all of them, with a remark, where
/// there are none: what the scheduler gave is not left. Pure.
NearCores cores_near(const CoreSet& allowed, const std::vector<int>& numa_nodes,
                     const std::string& bus_address);

/// The remark on a rank with a GPU and so few cores that its threads wait for each other; empty
/// otherwise. Pure.
std::optional<std::string> few_cores_remark(int cores_of_rank);

/// The word for a device among those of its node: "0000:1b:00.0/UUID", or the address alone if
/// there is no UUID. The slices of a GPU (MIG) have one address and differ in the UUID.
std::string device_word(const std::string& bus_address, const std::string& uuid);

/// Assigns the devices of a node, one to each of its ranks: the index among those that the rank
/// sees. `visible[rank]` holds their words (see device_word()) in the rank's own order, since
/// launchers and visibility variables may show each rank other ones. Where all see the same, rank r
/// gets device r. Empty where there is no such way. Pure.
std::optional<std::vector<int>> assign_devices(
    const std::vector<std::vector<std::string>>& visible);

/// The device of `rank` on a node that has fewer devices than ranks: those that see any get one, in
/// their order, as far as there are some. Empty for the others. Pure.
std::optional<int> assign_what_is_there(const std::vector<std::vector<std::string>>& visible,
                                        int rank);

/// The remark on the ranks of a node if each sees a single device, and not all the same: empty
/// otherwise. `visible` as for assign_devices(). Pure.
std::optional<std::string> lone_devices_remark(
    const std::vector<std::vector<std::string>>& visible);

/// Number of this rank on its node, of `ranks_on_node` that MPI sees there. Containers may hide the
/// ranks of a node from each other; then the launcher's variables tell (SLURM_LOCALID and others).
int local_rank(int rank_on_node, int ranks_on_node, const EnvironmentLookup& lookup);

/// Those of `variables` that are set, as "A_VISIBLE_DEVICES=0,1, B_VISIBLE_DEVICES=0".
std::string visibility_text(const std::vector<std::string>& variables,
                            const EnvironmentLookup& lookup);

/// Lets the calling thread, and those that it starts, run on these cores and take memory of these
/// NUMA nodes first. Returns what could not be done.
std::optional<std::string> settle_this_thread(const CoreSet& cores,
                                              const std::vector<int>& numa_nodes);

}  // namespace hpl
