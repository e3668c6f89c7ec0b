#pragma once

#include <string>
#include <vector>

#include "hpl/report/result/fleet_report.h"

namespace hpl {

/// How far from the expected a figure may be, and why so far.
struct Allowance {
  double distance = 0;
  std::string reason;
};

/// By the tolerance, the robust spread of what it is compared with, or the noise floor, whichever
/// is the largest. `median_gflops`: the usual rate of a run of order N.
Allowance allowance(const FleetThresholds& thresholds, const FigureStatistics& of,
                    double median_gflops, std::int64_t order);

/// Whether a figure has a bad side.
bool is_judged(const FleetFigureInfo& about);
bool is_worse(const FleetFigureInfo& about, double value, double than);
/// The value so far on the bad side of the expected one.
double beyond(const FleetFigureInfo& about, double expected, double distance);

/// "rate 51.20 GFLOP/s, 23.1 % below 66.60, the median of 8 units (allowed from 63.27: 5 % of the
/// median)"
std::string comparison(const FleetFigureInfo& about, double value, double expected,
                       const std::string& what, double threshold, const std::string& reason);

/// Where the time of a slow unit went: "; matrix multiply takes 3.20 s, 1.10 s elsewhere".
std::string slow_phase(const FleetUnit& unit, const std::vector<const FleetUnit*>& peers);

/// "; power cap 100 %, hardware slowdown 12 %"
std::string throttle_text(const FleetUnit& unit);

}  // namespace hpl
