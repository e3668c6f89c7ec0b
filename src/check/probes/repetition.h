#pragma once

#include <array>
#include <span>

#include "hpl/check/findings/check_report.h"

namespace hpl {

/// One flag a figure.
using FigureFlags = std::array<bool, kFigureCount>;

/// Metrics with values that are out, crowded or not; none where ranks share cores. Rates of
/// processors are also in doubt where they are further apart than the tolerance: one that others
/// slow down hides one that is slow.
FigureFlags doubtful_metrics(const CheckReport& report);

/// A rank is out, and other work used all its cores whenever they were measured.
bool has_crowded_rank(const CheckReport& report);

FigureFlags metrics_of(std::span<const Measurement> measurements);

bool have_common(const FigureFlags& a, const FigureFlags& b);

/// Takes over the figures of `again` that are better than those of `record`, each core's by itself,
/// and its failed probes. Returns the largest gain, a fraction of the figure.
double keep_better(RankRecord& record, const RankRecord& again);

/// How long doubtful figures are measured again. Other machines on the same processor use the
/// second hardware threads of its cores for seconds, so that the best of each comes out after a
/// while: when no rank is crowded and nothing becomes better for half of the time so far. Times are
/// in seconds.
class Patience {
 public:
  /// `least_gain`: fraction of a figure from which on it has become better. `shortest` without a
  /// gain before the end, `longest` of all.
  Patience(double least_gain, double shortest, double longest)
      : least_gain_(least_gain), shortest_(shortest), longest_(longest) {}

  /// `gain`: of the last repetition, `seconds` after the first began.
  bool goes_on(double seconds, double gain, bool crowded);

 private:
  double least_gain_, shortest_, longest_, last_gain_ = 0;
};

}  // namespace hpl
