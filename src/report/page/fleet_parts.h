#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet_history.h"
#include "hpl/report/result/fleet_report.h"

namespace hpl::page {

/// Figures of a kind of hardware; null where it has none.
const FigureStatistics* statistics_of(const FleetReport& fleet, const std::string& kind,
                                      FleetFigure figure);
/// How far a unit is below the median of its kind, percent; empty where it has no rate.
std::optional<double> below_median(const FleetReport& fleet, const FleetUnit& unit);
/// "+0.3" of 0.3 above the median; "0.0" has no sign.
std::string deviation_text(double below);
/// The shade of a cell so many percent below the others, 0 to 4, as in the table of ranks.
int heat(double percent);
/// What makes a unit or host fail, else the first remark.
std::string first_fault(const std::vector<FleetFinding>& findings);
/// "2026-11-22 07:30", where the fleet was.
std::string day_of(const FleetReport& fleet);
/// The first hosts by name, the others by number.
std::string joined(const std::vector<std::string>& names);

// Parts of the section, as HTML; each is empty where there is nothing to show.

/// Hosts and devices, each with its deviation from the median.
std::string map_part(const FleetReport& fleet);
/// How many units of each kind have which rate, and all figures.
std::string distribution_part(const FleetReport& fleet);
/// What drifted over several acceptances.
std::string history_part(const FleetHistory& history);
/// What a meter showed, of hosts and of the whole.
std::string fleet_power_part(const FleetReport& fleet);

}  // namespace hpl::page
