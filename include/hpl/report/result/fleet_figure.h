#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "hpl/machine/check/metric.h"

namespace hpl {

/// What the units of a fleet are compared by, in the order in which it is shown.
enum class FleetFigure {
  Gflops,           ///< median of the rounds
  WorstRound,       ///< how far the slowest round is below the median of the unit's rounds
  Drift,            ///< loss of rate from the first third of the rounds to the last third
  Efficiency,       ///< share of the rate of matrix products alone
  Clock,            ///< mean; of the slowest device
  Power,            ///< mean; of all devices together
  Temperature,      ///< highest of any device
  Throttled,        ///< largest share of samples that show one reason
  CorrectedErrors,  ///< of memory, in all rounds
};
inline constexpr int kFleetFigureCount = 9;

struct FleetFigureInfo {
  std::string_view key;    ///< in JSON
  std::string_view label;  ///< in tables
  std::string_view unit;
  Better better;  ///< Neither: shown, not judged
  bool fails;     ///< a unit that is worse than its peers fails; else that is worth a look
  /// The tolerance is in points of the figure; else a share of the median.
  bool points;
  /// The tolerance counts so many times.
  double slack;
  /// A difference that never counts, in the unit of the figure.
  double floor;
};
const FleetFigureInfo& info(FleetFigure figure);
/// By the number of the figure.
std::span<const FleetFigureInfo> all_fleet_figures();

/// A value for each figure, or none.
class FleetFigures {
 public:
  std::optional<double>& operator[](FleetFigure figure) {
    return values_[static_cast<std::size_t>(figure)];
  }
  const std::optional<double>& operator[](FleetFigure figure) const {
    return values_[static_cast<std::size_t>(figure)];
  }

 private:
  std::array<std::optional<double>, kFleetFigureCount> values_{};
};

}  // namespace hpl
