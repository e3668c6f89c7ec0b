#pragma once

#include <span>

#include "hpl/report/result/fleet_report.h"

namespace hpl {

bool has_fault(std::span<const FleetFinding> findings);

/// Verdicts of the hosts and the lists of them: by the devices that they show, and by the units
/// that they are part of, which have been judged. Part of judge_fleet().
void judge_hosts(FleetReport& report);

/// The lists of the hosts that passed, and of those that did not. A host that is not checked is in
/// neither.
void list_hosts(FleetReport& report);

}  // namespace hpl
