#pragma once

#include <string>

#include "hpl/fleet/judge/fleet_report.h"

namespace hpl {

// The failed part of a judged fleet as text to copy.

/// Commands by which Slurm drains the failed hosts, one for each reason: scontrol update
/// nodename=node[04-05] state=drain reason="xhpl: rate 24 % low". They go to a root shell: a host
/// is left out, with a remark, unless is_plain_host().
std::string drain_commands(const FleetReport& report);

/// Evidence for a vendor's ticket on each failed member that is a device: model, serial number, PCI
/// address, findings, and its figures beside those of its peers.
std::string device_evidence(const FleetReport& report);

}  // namespace hpl
