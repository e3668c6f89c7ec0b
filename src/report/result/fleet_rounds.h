#pragma once

#include "hpl/report/result/fleet_report.h"

namespace hpl {

/// The verdict of one round: by what was found in it, whatever its document calls it.
RunStatus status_of(const FleetRound& round, const RunSpec& spec);

/// Findings of the units by their own rounds, without their peers: solutions, checksums, rates that
/// were not measured, gates. Part of judge_fleet().
void judge_rounds(FleetReport& report);

}  // namespace hpl
