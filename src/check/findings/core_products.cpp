#include "hpl/check/findings/core_products.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "hpl/base/number/statistics.h"

namespace hpl {
namespace {

// Work on the second hardware thread of a core takes a tenth to a half of its width. Cores that
// have all of it are within a hundredth of each other.
constexpr double kOwnWidth = 0.97;

double median_of(std::span<const CoreProducts> stretches, double CoreProducts::*figure) {
  std::vector<double> values;
  for (const CoreProducts& one : stretches)
    values.push_back(one.*figure);
  return median(std::move(values));
}

/// The width that a twentieth of some cores reach. The widest would be an error of measurement.
double reached(std::vector<double> widths) {
  std::ranges::sort(widths, std::ranges::greater());
  return widths[widths.size() / 20];
}

/// The width of an undisturbed core of each model: a twentieth of its cores reach it, or half of
/// its ranks.
std::map<std::string, double> whole_widths(const std::vector<RankRecord>& ranks) {
  struct Widths {
    std::vector<double> of_cores, of_ranks;
  };
  std::map<std::string, Widths> of_model;
  for (const RankRecord& rank : ranks) {
    if (rank.core_products.empty()) continue;
    std::vector<double> own;
    for (const CoreProducts& core : rank.core_products)
      own.push_back(core.width);
    Widths& widths = of_model[rank.processor];
    widths.of_cores.insert(widths.of_cores.end(), own.begin(), own.end());
    widths.of_ranks.push_back(reached(std::move(own)));
  }
  std::map<std::string, double> whole;
  for (const auto& [model, widths] : of_model)
    whole[model] = std::max(reached(widths.of_cores), median(widths.of_ranks));
  return whole;
}

}  // namespace

CoreProducts of_best_stretches(std::span<const CoreProducts> stretches) {
  const std::size_t ends = stretches.size() / 20;
  stretches = stretches.subspan(ends, stretches.size() - 2 * ends);
  std::vector<CoreProducts> best(stretches.begin(), stretches.end());
  std::ranges::sort(best, std::ranges::greater(), &CoreProducts::flops_per_tick);
  best.resize(std::min(best.size(), std::max<std::size_t>(3, best.size() / 10)));
  return {.flops_per_tick = median_of(best, &CoreProducts::flops_per_tick),
          .clock = median_of(stretches, &CoreProducts::clock),
          .width = median_of(best, &CoreProducts::width)};
}

double keep_better(CoreProducts& products, const CoreProducts& again) {
  const double before = products.gflops();
  if (again.flops_per_tick > products.flops_per_tick) {
    products.flops_per_tick = again.flops_per_tick;
    products.width = again.width;
  }
  products.clock = std::max(products.clock, again.clock);
  return products.gflops() / before - 1;
}

void settle_host_dgemm(std::vector<RankRecord>& ranks) {
  const std::map<std::string, double> whole = whole_widths(ranks);
  for (RankRecord& rank : ranks) {
    std::vector<double> own;
    rank.core_gflops.clear();
    rank.crowded_cores.clear();
    for (std::size_t i = 0; i < rank.core_products.size(); ++i) {
      const CoreProducts& core = rank.core_products[i];
      rank.core_gflops.push_back(core.gflops());
      if (core.width > 0 && core.width < kOwnWidth * whole.at(rank.processor))
        rank.crowded_cores.push_back(rank.cores.at(i % rank.cores.size()));
      else
        own.push_back(core.gflops());
    }
    for (Measurement& one : rank.measurements) {
      if (one.metric != Figure::HostDgemm || rank.core_products.empty()) continue;
      one.crowded = one.crowded || own.empty();
      one.value = mean(own.empty() ? rank.core_gflops : own);
    }
  }
}

}  // namespace hpl
