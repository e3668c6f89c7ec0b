#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "hpl/base/number/statistics.h"
#include "hpl/base/text/quantity.h"
#include "hpl/check/findings/check_reference.h"
#include "hpl/check/findings/finding.h"
#include "hpl/check/findings/link_ends.h"
#include "hpl/check/findings/node_links.h"
#include "hpl/check/findings/population.h"

namespace hpl {
namespace {

/// The norms of a comparison: medians of peers, or figures of an earlier check.
struct Norms {
  Basis basis = Basis::Peers;
  std::string before, after{};  ///< words around the norm
  /// Empty: the value is not compared.
  std::function<std::optional<double>(const Population& peers, const OwnedValue& at)> of;
};

/// A value that is too bad, with what it is compared with.
struct Bad {
  OwnedValue at;
  const Norms* norms = nullptr;
  double expected = 0, limit = 0;
  double shortfall = 0;
  Severity severity = Severity::Warning;
};

/// "40.10 GB/s, 24.1 % below the median of 52.80"
std::string compared(Figure metric, const Bad& bad) {
  const FigureInfo& about = info(metric);
  return fmt::format("{} {}, {:.1f} % {} {}{}{}", short_number(bad.at.value), about.unit,
                     100 * bad.shortfall, about.better == Better::Higher ? "below" : "above",
                     bad.norms->before, short_number(bad.expected), bad.norms->after);
}

/// A figure that other processes disturbed blames nobody.
RankFinding finding_of(Figure metric, const Bad& bad, std::string text) {
  RankFinding finding{{.severity = bad.severity,
                       .basis = bad.norms->basis,
                       .figure = metric,
                       .value = bad.at.value,
                       .expected = bad.expected,
                       .threshold = bad.limit,
                       .text = std::move(text)},
                      bad.at.rank,
                      bad.at.peer};
  if (bad.at.crowded) {
    finding.severity = Severity::Warning;
    finding.basis = Basis::Disturbed;
    finding.text += "; other work used its cores whenever they were measured: check again";
  }
  return finding;
}

RankFinding finding_of(Figure metric, const Bad& bad) {
  return finding_of(metric, bad, fmt::format("{} {}", info(metric).label, compared(metric, bad)));
}

bool is_compared(Figure metric) {
  const Better better = info(metric).better;
  return better == Better::Higher || better == Better::Lower;
}

std::vector<Bad> bad_values(const Population& population, const Norms& norms, double tolerance) {
  const FigureInfo& about = info(population.metric);
  std::vector<Bad> found;
  if (!is_compared(population.metric)) return found;
  for (const OwnedValue& at : population.values) {
    const auto expected = norms.of(population, at);
    if (!expected) continue;
    const double distance = std::max(tolerance * about.slack * *expected, about.noise);
    const double limit = *expected + (about.better == Better::Higher ? -distance : distance);
    if (const auto severity = severity_of(population.metric, at.value, *expected, limit))
      found.push_back({at, &norms, *expected, limit,
                       shortfall(population.metric, at.value, *expected), *severity});
  }
  return found;
}

std::vector<RankFinding> far_from_zero(const Population& population) {
  const FigureInfo& about = info(population.metric);
  std::vector<RankFinding> found;
  for (const OwnedValue& at : population.values)
    if (const auto severity = severity_of(population.metric, std::abs(at.value), 0, about.limit))
      found.push_back({{.severity = *severity,
                        .basis = Basis::Peers,
                        .figure = population.metric,
                        .value = at.value,
                        .expected = population.median,
                        .threshold = about.limit,
                        .text = fmt::format("{} {:+.3f} {}, more than {:g} {}", about.label,
                                            at.value, about.unit, about.limit, about.unit)},
                       at.rank});
  return found;
}

/// All populations of one metric of links: a rank's links may be of several kinds.
std::vector<RankFinding> bad_links(Figure metric, std::span<const Population> kinds,
                                   const Norms& norms, double tolerance) {
  LinkEnds ends;
  std::vector<Bad> bad;
  for (const Population& population : kinds) {
    for (const OwnedValue& link : population.values)
      ends.add_link(link.rank, link.peer);
    for (const Bad& one : bad_values(population, norms, tolerance)) {
      ends.add_bad(one.at.rank, one.at.peer);
      bad.push_back(one);
    }
  }
  std::vector<RankFinding> found;
  while (const auto rank = ends.culprit()) {
    const auto of_others = std::partition(bad.begin(), bad.end(), [&](const Bad& one) {
      return one.at.rank == *rank || one.at.peer == *rank;
    });
    const Bad worst = *std::max_element(bad.begin(), of_others, [](const Bad& a, const Bad& b) {
      return a.shortfall < b.shortfall;
    });
    RankFinding finding = finding_of(
        metric, worst,
        fmt::format("{}: {} of its {} links are too slow, the worst with {}", info(metric).label,
                    ends.bad(*rank), ends.links(*rank), compared(metric, worst)));
    finding.rank = *rank;
    finding.peer = worst.at.rank == *rank ? worst.at.peer : worst.at.rank;
    finding.bad_links = ends.bad(*rank);
    found.push_back(std::move(finding));
    for (auto one = bad.begin(); one != of_others; ++one)
      ends.remove_bad(one->at.rank, one->at.peer);
    bad.erase(bad.begin(), of_others);
  }
  std::ranges::sort(bad, {}, [](const Bad& one) { return std::pair(one.at.rank, one.at.peer); });
  for (const Bad& one : bad)
    found.push_back(finding_of(metric, one));
  return found;
}

std::vector<RankFinding> outliers_by(const Norms& norms, std::span<const RankRecord> ranks,
                                     double tolerance) {
  const std::vector<Population> all = populations(ranks);
  std::vector<RankFinding> found;
  for (auto first = all.begin(); first != all.end();) {
    const Figure metric = first->metric;
    const auto last =
        std::find_if(first, all.end(), [&](const Population& p) { return p.metric != metric; });
    std::vector<RankFinding> more;
    if (info(metric).owner == Owner::Link) {
      more = bad_links(metric, {first, last}, norms, tolerance);
    } else {
      for (auto population = first; population != last; ++population) {
        for (const Bad& one : bad_values(*population, norms, tolerance))
          more.push_back(finding_of(metric, one));
        if (info(metric).better == Better::NearZero && norms.basis == Basis::Peers)
          std::ranges::move(far_from_zero(*population), std::back_inserter(more));
      }
    }
    std::ranges::move(more, std::back_inserter(found));
    first = last;
  }
  return found;
}

}  // namespace

std::vector<RankFinding> find_outliers(std::span<const RankRecord> ranks, double tolerance) {
  return outliers_by({.basis = Basis::Peers,
                      .before = "the median of ",
                      .of =
                          [](const Population& peers, const OwnedValue&) {
                            return std::ssize(peers.values) < kFewestPeers
                                       ? std::nullopt
                                       : std::optional(peers.median);
                          }},
                     ranks, tolerance);
}

std::vector<RankFinding> find_outliers(std::span<const RankRecord> ranks, double tolerance,
                                       const CheckNorms& reference) {
  const Norms norms{.basis = Basis::Reference,
                    .after = " in " + reference.source(),
                    .of = [&](const Population& all, const OwnedValue& at) {
                      return reference.of(ranks[static_cast<std::size_t>(at.rank)],
                                          {all.metric, at.peer, at.value});
                    }};
  std::vector<RankFinding> found = outliers_by(norms, ranks, tolerance);
  for (const auto& [rank, median] : node_medians(ranks)) {
    const Population alone{median.metric, {}, {{rank, kNoPeer, median.value}}, median.value};
    for (const Bad& bad : bad_values(alone, norms, tolerance))
      found.push_back(
          finding_of(median.metric, bad,
                     fmt::format("median of its links: {} {}", info(median.metric).label,
                                 compared(median.metric, bad))));
  }
  return found;
}

}  // namespace hpl
