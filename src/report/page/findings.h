#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/report/page/run_file.h"

namespace hpl::page {

/// A rank is said to be slow in a phase when it took so much longer than the median of the ranks,
inline constexpr double kSlowRankFraction = 0.05;
/// and when the difference is at least this share of the run.
inline constexpr double kSlowRankOfRun = 0.01;
/// Seconds: shorter runs say nothing about a rank.
inline constexpr double kLeastSecondsToJudge = 1;

/// The end of files and runs, as one word for all: the worst.
enum class Verdict { Passed, Unchecked, Broken, Unfinished, Failed };
Verdict verdict_of(const RunFile& file);
Verdict verdict_of(std::span<const RunFile> files);

struct VerdictLook {
  std::string_view word;   ///< "PASSED"
  std::string_view style;  ///< name of its style
};
const VerdictLook& look_of(Verdict verdict);

/// Sentences about a run that a reader should see first: why it failed, what its devices showed, a
/// rank whose matrix products took longer than the others'.
std::vector<std::string> findings_of(const RunResult& run);

}  // namespace hpl::page
