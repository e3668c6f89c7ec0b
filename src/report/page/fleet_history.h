#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hpl/report/result/fleet_report.h"

namespace hpl::page {

/// A figure below this share of the median of its kind's changes has not drifted, in percent.
inline constexpr double kLeastDrift = 1;

/// How a unit's rate changed from the first acceptance that has it to the last.
struct UnitDrift {
  std::string unit, kind;
  std::vector<std::optional<double>> gflops;  ///< by acceptance
  double percent = 0;                         ///< of the first rate
  double against_peers = 0;  ///< less the median change of its kind, points of percent
};

/// What several acceptances of a fleet say together.
struct FleetHistory {
  std::vector<const FleetReport*> fleets;  ///< by start
  /// Units that more than one acceptance has, those that lost most against their peers first. A
  /// change that all have (another N, a driver) is none of a unit.
  std::vector<UnitDrift> drifts;
  std::vector<std::string> gone, added;  ///< units of the first alone, of the last alone
};

/// Borrows the reports.
FleetHistory fleet_history(std::span<const FleetReport* const> fleets);

}  // namespace hpl::page
