#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hpl/fleet/judge/fleet_report.h"

namespace hpl {

/// The value that a figure of a member is compared with.
struct Norm {
  Basis basis = Basis::Peers;
  std::string name;  ///< "the median of 8 members"
  FigureStatistics of;
  double usual_gflops = 0;  ///< the median rate of the same runs; 0: unknown
};

/// Whether a figure has a bad side.
bool is_judged(const FigureInfo& about);

/// The value from which on a figure is a finding.
struct FigureLimit {
  double value = 0;
  std::string reason;
};
/// By the tolerance, the robust spread, or the noise floor, whichever allows most. A loss of rate
/// below the tolerance itself is never out. `order`: of the runs.
FigureLimit limit_of(const Norm& norm, const FleetThresholds& thresholds, std::int64_t order);

/// Empty where the value is no worse than the limit. The text: "rate 51.20 GFLOP/s, 23.1 % below
/// 66.60, the median of 8 members (limit 63.27: 5 % of the median)"; "loses 7.0 % over its runs,
/// the median of 4 members 0.4 % (limit 5.4)".
std::optional<Finding> compare(double value, const Norm& norm, const FigureLimit& limit);

/// The phase that took the time of a slow member: "; matrix multiply takes 3.20 s, 1.10 s
/// elsewhere".
std::string slow_phase(const FleetMember& member, const std::vector<FleetMember*>& peers);

/// "; power cap 100 %, hardware slowdown 12 %"
std::string throttle_text(const FleetMember& member);

}  // namespace hpl
