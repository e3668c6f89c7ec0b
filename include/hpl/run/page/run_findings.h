#pragma once

#include <string>
#include <vector>

#include "hpl/report/result/run_result.h"

namespace hpl::page {

/// A rank is said to be slow in a phase when it took so much longer than the median of the ranks,
inline constexpr double kSlowRankFraction = 0.05;
/// and when the difference is at least this share of the run.
inline constexpr double kSlowRankOfRun = 0.01;
/// Seconds: shorter runs say nothing about a rank.
inline constexpr double kLeastSecondsToJudge = 1;

/// Sentences about a run that a reader should see first: why it failed, what its devices showed, a
/// rank whose matrix products took longer than the others'.
std::vector<std::string> findings_of(const RunResult& run);

}  // namespace hpl::page
