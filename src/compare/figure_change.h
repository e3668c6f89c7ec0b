#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hpl/compare/comparison.h"
#include "hpl/fleet/judge/fleet_report.h"

namespace hpl {

/// How well the figures of a member are known.
struct Certainty {
  Figures errors{};      ///< standard errors, in the unit of the figure; empty: not repeated
  int runs = 0;          ///< with a rate
  double tolerance = 0;  ///< of a check, see Trial
};

/// A point of a member or of a kind, with how well its figures are known.
struct MeasuredPoint {
  ComparedPoint point;
  Certainty certainty{};
  bool disturbed = false;  ///< by other processes, in all of its runs: no change says anything
  bool log = false;        ///< of another program: changes have no verdict
};

/// Certainty from the scatter of repetitions: a member's own, or the usual one of its kind if that
/// is larger. One result for each member, in their order.
std::vector<Certainty> certainties_of(std::span<const FleetMember> members);

/// The figures that both points have. A change is noise up to three standard errors. Figures that
/// were not repeated have the floors of the judge of fleets. Those of checks may differ by as much
/// as a check allows.
std::vector<FigureChange> changes_between(const MeasuredPoint& first, const MeasuredPoint& last,
                                          std::int64_t order);

/// Medians of members that both sides have, each beside itself: `firsts[i]` and `lasts[i]` are one
/// member.
std::vector<FigureChange> median_changes(std::span<const MeasuredPoint> firsts,
                                         std::span<const MeasuredPoint> lasts, std::int64_t order);

/// The medians of points, and how well they are known by their scatter.
MeasuredPoint median_of(std::span<const MeasuredPoint> points);

}  // namespace hpl
