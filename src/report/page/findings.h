#pragma once

#include <span>
#include <string>
#include <vector>

#include "hpl/report/page/run_file.h"

namespace hpl::page {

/// A rank is said to be slow in a phase when it took so much longer than the median of the ranks,
inline constexpr double kSlowRankFraction = 0.05;
/// and when the difference is at least this share of the run.
inline constexpr double kSlowRankOfRun = 0.01;
/// Seconds: shorter runs say nothing about a rank.
inline constexpr double kLeastSecondsToJudge = 1;

/// How files and runs ended, as one word for all: the worst.
enum class Verdict { Passed, Unchecked, Failed, Broken, Unfinished };
Verdict verdict_of(const RunFile& file);
Verdict verdict_of(std::span<const RunFile> files);
std::string_view to_string(Verdict verdict);  ///< "PASSED", ...

/// Sentences about a run that a reader should see first: why it failed, what its devices showed, a
/// rank whose matrix products took longer than the others'.
std::vector<std::string> findings_of(const Run& run);

/// "rank 5 on node02", the host where the file tells it.
std::string rank_name(const Run& run, std::int64_t rank);

/// Each device once, where ranks share some.
std::vector<const Device*> distinct_devices(const Run& run);

}  // namespace hpl::page
