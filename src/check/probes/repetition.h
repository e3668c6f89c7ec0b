#pragma once

#include <array>
#include <span>

#include "hpl/check/findings/check_report.h"

namespace hpl {

/// One flag a metric.
using MetricFlags = std::array<bool, kMetricCount>;

/// Metrics with outliers that other work on a processor may have caused: figures of processors, and
/// all figures of ranks whose device is the processor.
MetricFlags doubtful_metrics(const CheckReport& report);

MetricFlags metrics_of(std::span<const Measurement> measurements);

bool have_common(const MetricFlags& a, const MetricFlags& b);

/// Takes over the figures of `again` that are better than those of `record`, and its failed probes.
void keep_better(RankRecord& record, const RankRecord& again);

}  // namespace hpl
