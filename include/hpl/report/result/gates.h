#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hpl/input/run_spec/gates.h"
#include "hpl/report/result/run_result.h"

namespace hpl {

/// The verdict of one gate on a job.
struct GateResult {
  std::string gate;             ///< its flag: "--min-gflops"
  double limit = 0;             ///< in the unit of the flag
  std::optional<double> worst;  ///< what came closest to missing it, or missed it most
  bool held = true;
  std::string reason;  ///< one sentence: what was found, where
};
void describe(Record& record, GateResult& gate);

/// Judges all runs of a job, one result for each gate asked for. What could not be measured does
/// not hold. Runs with the same run_index are repetitions.
std::vector<GateResult> judge(const Gates& gates, std::span<const RunResult> runs);

/// (largest - smallest) / median, in percent; 0 of fewer than two values.
double spread_percent(const std::vector<double>& values);

/// The ranks whose products ran slowest and fastest.
struct RankExtremes {
  int slowest = 0, fastest = 0;
  double slowest_gflops = 0, fastest_gflops = 0;
  double spread = 0;  ///< percent
};
/// Extremes of rates by rank; empty with fewer than two ranks that have one.
std::optional<RankExtremes> rate_extremes(const std::vector<double>& rank_gflops);
/// Extremes of the products of the tail update in the run.
std::optional<RankExtremes> rank_extremes(const RunResult& run);

/// "rank 3 on node02", or "rank 3" where the host is not known.
std::string rank_name(const RunResult& run, int rank);

}  // namespace hpl
