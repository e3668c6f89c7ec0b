#pragma once

#include <string>
#include <vector>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// Why a run is wrong, a sentence each: a zero pivot, checksums that disagree, sampled rows of the
/// residual that are wrong, the residual itself, a solution that --reproducible did not repeat.
/// Empty for a run without a fault.
std::vector<std::string> run_failures(const RunResult& run);

/// Sentences on the checksums of a run: they agree, with the number of comparisons, or the place of
/// the first error. Empty when none were carried.
std::vector<std::string> checksum_lines(const RunResult& run);

/// Says which sampled rows are wrong, with the values of the first. Some must be.
std::string wrong_rows_text(const SampledRows& samples);

}  // namespace hpl
