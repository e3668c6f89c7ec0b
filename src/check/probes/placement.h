#pragma once

#include <string>

#include "hpl/machine/host/text_file.h"
#include "hpl/machine/host/topology.h"

namespace hpl {

/// NUMA node that a PCI device ("0000:1B:00.0") hangs on; -1 where the system does not say.
int device_numa_node(const std::string& pci_address, const FileReader& read = read_text_file);

/// No core of the set is near the NUMA node: each is at a distance of at least twice the local one
/// (the firmware's table, /sys/devices/system/node), or on another node where there is no table.
/// Parts of one socket count as near. False for an unknown node.
bool is_far(const CoreSet& cores, int numa_node, const FileReader& read = read_text_file);

}  // namespace hpl
