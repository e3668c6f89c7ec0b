#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "hpl/base/text/quantity.h"
#include "hpl/check/findings/finding.h"
#include "hpl/check/findings/link_ends.h"
#include "hpl/check/findings/population.h"

namespace hpl {
namespace {

/// A value that is too bad, with what it is compared with.
struct Bad {
  OwnedValue at;
  double median = 0;
  double shortfall = 0;
};

/// "40.10 GB/s, 24.1 % below the median of 52.80"
std::string compared(Figure metric, const Bad& bad) {
  const FigureInfo& about = info(metric);
  return fmt::format("{} {}, {:.1f} % {} the median of {}", short_number(bad.at.value), about.unit,
                     100 * bad.shortfall, about.better == Better::Higher ? "below" : "above",
                     short_number(bad.median));
}

Finding finding_of(Figure metric, const Bad& bad) {
  return {.kind = FindingKind::Outlier,
          .rank = bad.at.rank,
          .peer = bad.at.peer,
          .metric = metric,
          .value = bad.at.value,
          .median = bad.median,
          .what = fmt::format("{} {}", info(metric).label, compared(metric, bad))};
}

std::vector<Bad> bad_values(const Population& population, double tolerance) {
  const FigureInfo& about = info(population.metric);
  std::vector<Bad> found;
  if (std::ssize(population.values) < kFewestPeers) return found;
  for (const OwnedValue& at : population.values) {
    const double worse = shortfall(population.metric, at.value, population.median);
    if (worse > tolerance * about.slack && std::abs(at.value - population.median) > about.noise)
      found.push_back({at, population.median, worse});
  }
  return found;
}

std::vector<Finding> far_from_zero(const Population& population) {
  const FigureInfo& about = info(population.metric);
  std::vector<Finding> found;
  for (const OwnedValue& at : population.values)
    if (std::abs(at.value) > about.limit)
      found.push_back({.kind = FindingKind::Outlier,
                       .rank = at.rank,
                       .metric = population.metric,
                       .value = at.value,
                       .median = population.median,
                       .what = fmt::format("{} {:+.3f} {}, more than {:g} {}", about.label,
                                           at.value, about.unit, about.limit, about.unit)});
  return found;
}

/// Cores that other work crowded blame nobody.
Finding judged(Figure metric, const Bad& bad) {
  Finding finding = finding_of(metric, bad);
  if (bad.at.crowded) {
    finding.kind = FindingKind::Remark;
    finding.what += "; other work used its cores whenever they were measured: check again";
  }
  return finding;
}

/// All populations of one metric of links: a rank's links may be of several kinds.
std::vector<Finding> bad_links(Figure metric, std::span<const Population> kinds, double tolerance) {
  LinkEnds ends;
  std::vector<Bad> bad;
  for (const Population& population : kinds) {
    for (const OwnedValue& link : population.values)
      ends.add_link(link.rank, link.peer);
    for (const Bad& one : bad_values(population, tolerance)) {
      ends.add_bad(one.at.rank, one.at.peer);
      bad.push_back(one);
    }
  }
  std::vector<Finding> found;
  while (const auto rank = ends.culprit()) {
    const auto of_others = std::partition(bad.begin(), bad.end(), [&](const Bad& one) {
      return one.at.rank == *rank || one.at.peer == *rank;
    });
    const Bad worst = *std::max_element(bad.begin(), of_others, [](const Bad& a, const Bad& b) {
      return a.shortfall < b.shortfall;
    });
    found.push_back({.kind = FindingKind::Outlier,
                     .rank = *rank,
                     .peer = worst.at.rank == *rank ? worst.at.peer : worst.at.rank,
                     .metric = metric,
                     .value = worst.at.value,
                     .median = worst.median,
                     .bad_links = ends.bad(*rank),
                     .what = fmt::format("{}: {} of its {} links are too slow, the worst with {}",
                                         info(metric).label, ends.bad(*rank), ends.links(*rank),
                                         compared(metric, worst))});
    for (auto one = bad.begin(); one != of_others; ++one)
      ends.remove_bad(one->at.rank, one->at.peer);
    bad.erase(bad.begin(), of_others);
  }
  std::ranges::sort(bad, {}, [](const Bad& one) { return std::pair(one.at.rank, one.at.peer); });
  for (const Bad& one : bad)
    found.push_back(finding_of(metric, one));
  return found;
}

}  // namespace

std::vector<Finding> find_outliers(std::span<const RankRecord> ranks, double tolerance) {
  const std::vector<Population> all = populations(ranks);
  std::vector<Finding> found;
  for (auto first = all.begin(); first != all.end();) {
    const Figure metric = first->metric;
    const auto last =
        std::find_if(first, all.end(), [&](const Population& p) { return p.metric != metric; });
    std::vector<Finding> more;
    if (info(metric).owner == Owner::Link) {
      more = bad_links(metric, {first, last}, tolerance);
    } else {
      for (auto population = first; population != last; ++population) {
        for (const Bad& one : bad_values(*population, tolerance))
          more.push_back(judged(metric, one));
        if (info(metric).better == Better::NearZero)
          std::ranges::move(far_from_zero(*population), std::back_inserter(more));
      }
    }
    std::ranges::move(more, std::back_inserter(found));
    first = last;
  }
  return found;
}

}  // namespace hpl
