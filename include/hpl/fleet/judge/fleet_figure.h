#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "hpl/check/findings/metric.h"

namespace hpl {

class Record;

/// Figures by which members of a fleet are compared, in the order of the reports.
enum class FleetFigure {
  Gflops,           ///< trimmed mean of the runs
  WorstRun,         ///< how far the slowest run is below the median of the member's runs
  Drift,            ///< loss of rate from the first third of the runs to the last third
  Efficiency,       ///< share of the rate of matrix products alone
  Clock,            ///< mean; of the slowest device
  Power,            ///< mean; of all devices together
  Temperature,      ///< highest of any device
  Throttled,        ///< largest share of samples that show one reason
  CorrectedErrors,  ///< of memory, in all runs
};
inline constexpr int kFleetFigureCount = 9;

/// A row of the table of figures.
struct FleetFigureInfo {
  FleetFigure value;
  std::string_view name;   ///< in JSON
  std::string_view label;  ///< in tables
  std::string_view unit;
  Better better;  ///< Neither: shown, not judged
  bool fails;     ///< a member that is far out fails for this figure alone
  /// The tolerance is in points of the figure; else a share of the median.
  bool points;
  /// Multiplies the tolerance.
  double slack;
  /// A difference that never counts, in the unit of the figure.
  double floor;
};
using FleetFigureTable = std::array<FleetFigureInfo, kFleetFigureCount>;
/// By the number of the figure.
extern const FleetFigureTable kFleetFigures;
inline const FleetFigureInfo& info(FleetFigure figure) {
  return kFleetFigures[static_cast<std::size_t>(figure)];
}

/// Form of a figure's values: divided by `scale`, with the unit; rates in that of `usual`.
struct FigureScale {
  double scale = 1;
  std::string_view unit;
};
FigureScale scale_of(FleetFigure figure, double usual);

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
void describe(Record& record, FleetFigures& figures);

}  // namespace hpl
