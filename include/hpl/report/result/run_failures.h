#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// Why a run is wrong, a sentence each: a zero pivot, checksums that disagree, sampled rows of the
/// residual that are wrong, the residual itself, a solution that --reproducible did not repeat.
/// Empty for a run without a fault.
std::vector<std::string> run_failures(const RunResult& run);

/// Whether a residual is below its threshold. One that is not finite is not, whatever its flag says.
bool residual_passed(const Residual& residual);

/// A place for a sentence: "rank 5 on node02, cuda 1".
using RankPlace = std::function<std::string(int rank)>;

/// What checksums showed, one sentence a line: that they agree and how often they were compared, or
/// where something went wrong first.
std::vector<std::string> checksum_lines(const ChecksumResult& checksums, const RankPlace& place);
std::vector<std::string> checksum_lines(const RunResult& run);

/// "rank 5 on node02, cuda 1"; a device of the back end "cpu" has no name of its own.
std::string rank_place(const std::string& rank_name, const std::string& backend,
                       std::int64_t device_index);

/// That the residual rests on a wrong product; of `samples` with wrong rows.
std::string wrong_rows_text(const SampledRows& samples);

}  // namespace hpl
