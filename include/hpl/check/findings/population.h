#pragma once

#include <span>
#include <string>
#include <vector>

#include "hpl/check/findings/record.h"

namespace hpl {

struct OwnedValue {
  int rank = 0;
  int peer = kNoPeer;
  double value = 0;
  bool crowded = false;  ///< see Measurement
};

/// The values of a metric that are compared with each other, in rank order; never empty.
struct Population {
  Figure metric = Figure::HostDgemm;
  std::string group;
  std::vector<OwnedValue> values;
  double median = 0;  ///< of those that are not crowded, where there are any
};

/// "between nodes", "between NUMA nodes", "inside a NUMA node"
std::string link_kind(const RankRecord& one, const RankRecord& other);

/// All populations, by metric, then by group.
std::vector<Population> populations(std::span<const RankRecord> ranks);

/// Orders values of a metric from the best to the worst: larger is worse.
double badness(Figure metric, double value);

/// The distance of a value on the bad side of the median, as a fraction of the median; 0 or less:
/// not worse.
double shortfall(Figure metric, double value, double median);

}  // namespace hpl
