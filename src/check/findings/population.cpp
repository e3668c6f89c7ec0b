#include "hpl/check/findings/population.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "hpl/base/error/error.h"
#include "hpl/base/number/statistics.h"
#include "hpl/check/findings/finding.h"

namespace hpl {
namespace {

std::string group_of(std::span<const RankRecord> ranks, const RankRecord& rank,
                     const Measurement& measured) {
  switch (info(measured.metric).owner) {
    case Owner::Processor:
      return rank.processor;
    case Owner::Device:
      return rank.device_model;
    case Owner::Link:
      HPL_ASSERT(measured.peer >= 0 && measured.peer < std::ssize(ranks));
      return link_kind(rank, ranks[measured.peer]);
    case Owner::Member:
      break;
  }
  return {};
}

double median_of(const std::vector<OwnedValue>& owned) {
  const bool all_crowded = std::ranges::all_of(owned, &OwnedValue::crowded);
  std::vector<double> values;
  for (const OwnedValue& one : owned)
    if (all_crowded || !one.crowded) values.push_back(one.value);
  return median(std::move(values));
}

}  // namespace

std::string link_kind(const RankRecord& one, const RankRecord& other) {
  if (one.node != other.node) return "between nodes";
  return one.numa_node != other.numa_node ? "between NUMA nodes" : "inside a NUMA node";
}

std::vector<Population> populations(std::span<const RankRecord> ranks) {
  std::map<std::pair<Figure, std::string>, std::vector<OwnedValue>> groups;
  for (const RankRecord& rank : ranks)
    for (const Measurement& measured : rank.measurements)
      groups[{measured.metric, group_of(ranks, rank, measured)}].push_back(
          {rank.rank, measured.peer, measured.value, measured.crowded});
  std::vector<Population> all;
  for (auto& [key, values] : groups) {
    const double median = median_of(values);
    all.push_back({key.first, key.second, std::move(values), median});
  }
  return all;
}

double badness(Figure metric, double value) {
  switch (info(metric).better) {
    case Better::Higher:
      return -value;
    case Better::Lower:
    case Better::Neither:
      return value;
    case Better::NearZero:
      return std::abs(value);
  }
  return 0;
}

double shortfall(Figure metric, double value, double median) {
  switch (info(metric).better) {
    case Better::Higher:
      return median > 0 ? 1 - value / median : 0;
    case Better::Lower:
      return median > 0 ? value / median - 1 : 0;
    case Better::NearZero:
    case Better::Neither:
      return 0;
  }
  return 0;
}

std::vector<MetricSummary> summarize(std::span<const RankRecord> ranks) {
  std::vector<MetricSummary> summaries;
  for (const Population& population : populations(ranks)) {
    const auto [least, most] =
        std::ranges::minmax_element(population.values, {}, &OwnedValue::value);
    const auto worst = std::ranges::max_element(population.values, {}, [&](const OwnedValue& v) {
      return badness(population.metric, v.value);
    });
    summaries.push_back({.metric = population.metric,
                         .group = population.group,
                         .count = std::ssize(population.values),
                         .minimum = least->value,
                         .median = population.median,
                         .maximum = most->value,
                         .worst_rank = worst->rank,
                         .worst_peer = worst->peer});
  }
  return summaries;
}

}  // namespace hpl
