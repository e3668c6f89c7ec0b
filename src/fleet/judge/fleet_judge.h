#pragma once

#include <cstddef>
#include <span>

#include "hpl/fleet/judge/fleet_report.h"

namespace hpl {

// Parts of judge_fleet().

/// The place of a verdict among those that a host's own job may make worse, Passed first; others
/// come last.
std::ptrdiff_t rank_of(Verdict verdict);

/// Failed, Warned or Passed.
Verdict verdict_by(std::span<const Finding> findings);

/// Findings of the members by their own runs, without their peers: solutions, checksums, other
/// processes, rates that were not measured, gates.
void judge_runs(FleetReport& report);

/// Verdicts of the hosts and the lists of them: by the devices that they show, by the members that
/// they are part of, which have been judged, and by their own jobs. A host that is not checked is
/// in no list.
void judge_hosts(FleetReport& report);

}  // namespace hpl
