#pragma once

#include <array>
#include <span>

#include "hpl/check/findings/check_report.h"

namespace hpl {

/// One flag a metric.
using MetricFlags = std::array<bool, kMetricCount>;

/// Metrics with outliers. Rates of processors are also in doubt where they are further apart than
/// the tolerance: one that others slow down hides one that is slow.
MetricFlags doubtful_metrics(const CheckReport& report);

MetricFlags metrics_of(std::span<const Measurement> measurements);

bool have_common(const MetricFlags& a, const MetricFlags& b);

/// Takes over the figures of `again` that are better than those of `record`, each core's by itself,
/// and its failed probes. Returns the largest gain, a fraction of the figure.
double keep_better(RankRecord& record, const RankRecord& again);

/// How long doubtful figures are measured again. Other machines on the same processor change the
/// clock of a core within seconds, so that the best of each comes out after a while: it has when
/// nothing becomes better for half of the time so far, at least for 8 s; after 60 s what is in
/// doubt stays.
class Patience {
 public:
  /// `least_gain`: fraction of a figure from which on it has become better.
  explicit Patience(double least_gain) : least_gain_(least_gain) {}

  /// `gain`: of the last repetition, `seconds` after the first began.
  bool goes_on(double seconds, double gain);

 private:
  double least_gain_, last_gain_ = 0;
};

}  // namespace hpl
