#pragma once

#include <optional>
#include <span>
#include <string>

#include "hpl/base/error/error.h"
#include "hpl/report/result/fleet_report.h"

namespace hpl {

/// A difference of so many seconds a round is noise, and makes nobody fail.
inline constexpr double kFleetNoiseSeconds = 0.1;
/// Fewer rounds have no first and last third.
inline constexpr int kFewestRoundsForDrift = 6;

/// Fills all that follows from the hosts, the rounds of the units, the thresholds and the
/// reference: figures, statistics of kinds, findings and verdicts, differences, remarks, lists.
/// What a former call has filled is replaced. Pure, and for any number of units: also for those of
/// several jobs together.
void judge_fleet(FleetReport& report);

/// The figures of a unit over its rounds.
FleetFigures figures_of(const FleetUnit& unit);

/// Facts that are not the same on all hosts, firmware of devices among them, by majority. Facts
/// that are a host's own, such as its serial number, are left out.
std::vector<FleetDifference> differences_of(std::span<const FleetHost> hosts,
                                            std::span<const FleetUnit> units);

/// Why a fleet cannot be compared with this reference: other units, another run, hardware that it
/// does not know. Empty where it can. Needs `each`, `spec` and the kinds of the units.
std::optional<std::string> reference_mismatch(const FleetReference& reference,
                                              const FleetReport& report);

/// Failed where a unit or a host has not passed.
ExitCode exit_code_of(const FleetReport& report);

}  // namespace hpl
