#pragma once

#include <array>
#include <span>
#include <vector>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// Minimum and maximum of every phase over the ranks; element r of `per_rank` belongs to rank r.
/// Of equal times the lowest rank is named. All zero when `per_rank` is empty.
std::array<PhaseRange, kPhaseCount> phase_statistics(std::span<const PhaseTimes> per_rank);

/// Rates of the repetitions of one run.
struct RepeatSummary {
  int count = 0;
  double minimum = 0, median = 0, maximum = 0;  ///< Gflops
};

/// Of an even number of repetitions the median is the mean of the two in the middle.
RepeatSummary summarize_rates(const std::vector<double>& rates);
RepeatSummary summarize_repeats(std::span<const RunResult> repeats);

}  // namespace hpl
