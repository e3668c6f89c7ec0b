#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hpl/base/result/finding.h"
#include "hpl/check/findings/record.h"

namespace hpl {

/// A finding on a rank or a link.
struct RankFinding : Finding {
  int rank = 0;
  int peer = kNoPeer;  ///< the other end of a link; the other rank on a shared core
  int bad_links = 0;   ///< slow links of `rank` that the finding names at once; to `peer` the worst
  std::string host{}, device{};  ///< of the rank; known to a report
  std::optional<std::string> peer_host{};
};
void describe(Record& record, RankFinding& finding);
/// A figure that is worse than that of its peers, and not because of other processes.
bool is_outlier(const RankFinding& finding);

/// One metric over the ranks or links that are compared with each other.
struct MetricSummary {
  Figure metric = Figure::HostDgemm;
  std::string group;  ///< model, or kind of link; see Owner
  std::int64_t count = 0;
  double minimum = 0, median = 0, maximum = 0;
  int worst_rank = 0, worst_peer = kNoPeer;  ///< owner of the worst value; the largest if unjudged
};
void describe(Record& record, MetricSummary& summary);

/// All summaries, by metric, then by group. `ranks` are in rank order. Pure, as all below.
std::vector<MetricSummary> summarize(std::span<const RankRecord> ranks);

/// One figure of the deep check over the ranks whose processors, or devices, are of one model.
struct DeepSummary {
  DeepFigure about;   ///< key, label, unit; share of the rank in the middle
  std::string group;  ///< model
  std::int64_t count = 0;
  double minimum = 0, median = 0, maximum = 0;
  int worst_rank = 0;
};
void describe(Record& record, DeepSummary& summary);
/// In the order of the ranks' figures.
std::vector<DeepSummary> summarize_deep(std::span<const RankRecord> ranks);

/// Values that are worse than the median of their group by more than `tolerance` (a fraction) times
/// the metric's slack; see severity_of(). A rank with more than half of its links (two or more)
/// among them is named once, with the worst of its links, in place of all of them. A figure that
/// other processes disturbed becomes a warning.
std::vector<RankFinding> find_outliers(std::span<const RankRecord> ranks, double tolerance);

/// Faults and remarks of ranks and devices by themselves: memory errors, throttling, cores, memory,
/// BLAS kernel, threads of MPI, probes that failed. Devices that ranks share are named once.
std::vector<RankFinding> find_faults(std::span<const RankRecord> ranks);

}  // namespace hpl
