#include "hpl/report/result/fleet_figure.h"

namespace hpl {
namespace {

// Columns: key, label, unit, better, fails, points, slack, floor.
constexpr std::array<FleetFigureInfo, kFleetFigureCount> kFigures{{
    {"gflops", "rate", "GFLOP/s", Better::Higher, true, false, 1, 0},
    {"worst_round_percent", "slowest round below the median", "%", Better::Lower, true, true, 1, 1},
    {"drift_percent", "loss of rate over the rounds", "%", Better::Lower, true, true, 1, 1},
    {"efficiency_percent", "share of the DGEMM rate", "%", Better::Neither, false, true, 1, 0},
    {"clock_mhz", "clock", "MHz", Better::Higher, false, false, 0.6, 15},
    {"power_watts", "power", "W", Better::Neither, false, false, 1, 0},
    {"temperature_celsius", "temperature", "C", Better::Lower, false, true, 2, 5},
    {"throttled_percent", "samples throttled", "%", Better::Lower, false, true, 4, 5},
    {"corrected_errors", "corrected memory errors", "", Better::Lower, false, true, 0, 0},
}};

}  // namespace

const FleetFigureInfo& info(FleetFigure figure) {
  return kFigures[static_cast<std::size_t>(figure)];
}

std::span<const FleetFigureInfo> all_fleet_figures() {
  return kFigures;
}

}  // namespace hpl
