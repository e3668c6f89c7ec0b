#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/number/statistics.h"
#include "hpl/check/findings/finding.h"

namespace hpl {
namespace {

const std::string& model_of(const RankRecord& rank, bool device) {
  return device ? rank.device_model : rank.processor;
}

/// The library's rate and the best of the products by hand, FP64.
struct LadderRates {
  double library = 0, by_hand = 0;
};

LadderRates ladder_rates(const RankRecord& rank, bool device) {
  const std::string where = device ? "device_" : "host_";
  const std::string by_hand = where + (device ? "tiles_" : "blocked_");
  LadderRates rates;
  for (const DeepFigure& figure : rank.deep) {
    if (!figure.key.ends_with("_fp64")) continue;
    if (figure.key == where + "library_fp64") rates.library = figure.value;
    if (figure.key.starts_with(by_hand)) rates.by_hand = std::max(rates.by_hand, figure.value);
  }
  return rates;
}

std::string compared(double rate) {
  return rate < 1 ? fmt::format("{:.1f} % below", 100 * (1 - rate))
                  : fmt::format("{:.1f} % above", 100 * (rate - 1));
}

std::string words_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::None:
      return {};
    case Pattern::Power:
      return "only the library is slow, which draws most power: look at power limit and cooling";
    case Pattern::Memory:
      return "the library is as fast as elsewhere, what lives on memory and caches is not: look at "
             "the memory";
    case Pattern::Clock:
      return "everything is slow: look at the clock, at sharing, at what else runs there";
  }
  return {};
}

void find_on(std::span<const RankRecord> ranks, bool device, double tolerance,
             std::vector<RankFinding>& found) {
  std::map<std::string, std::vector<std::pair<const RankRecord*, LadderRates>>> models;
  for (const RankRecord& rank : ranks)
    if (const LadderRates rates = ladder_rates(rank, device);
        rates.library > 0 && rates.by_hand > 0)
      models[model_of(rank, device)].push_back({&rank, rates});
  for (const auto& [model, members] : models) {
    if (std::ssize(members) < kFewestPeers) continue;
    std::vector<double> library, by_hand;
    for (const auto& [rank, rates] : members) {
      library.push_back(rates.library);
      by_hand.push_back(rates.by_hand);
    }
    const LadderRates middle{median(library), median(by_hand)};
    for (const auto& [rank, rates] : members) {
      const double of_library = rates.library / middle.library;
      const double of_hand = rates.by_hand / middle.by_hand;
      const Pattern pattern = pattern_of(of_library, of_hand, tolerance);
      if (pattern == Pattern::None) continue;
      found.push_back(
          {{.severity = Severity::Slow,
            .text = fmt::format("FP64 products on the {}: library {}, {} {} the median: {}",
                                device ? "device" : "host", compared(of_library),
                                device ? "tiles" : "blocks", compared(of_hand), words_of(pattern))},
           rank->rank});
    }
  }
}

}  // namespace

std::vector<DeepSummary> summarize_deep(std::span<const RankRecord> ranks) {
  struct Member {
    int rank;
    const DeepFigure* figure;
  };
  std::vector<std::pair<std::string, std::string>> order;  // key and model
  std::map<std::pair<std::string, std::string>, std::vector<Member>> groups;
  for (const RankRecord& rank : ranks)
    for (const DeepFigure& figure : rank.deep) {
      const std::pair name(figure.key, model_of(rank, figure.of_device));
      auto& members = groups[name];
      if (members.empty()) order.push_back(name);
      members.push_back({rank.rank, &figure});
    }
  std::vector<DeepSummary> summaries;
  for (const auto& name : order) {
    std::vector<Member> members = groups[name];
    const auto value = [](const Member& member) { return member.figure->value; };
    std::ranges::stable_sort(members, {}, value);
    const DeepFigure& middle = *members[(members.size() - 1) / 2].figure;
    std::vector<double> values;
    std::optional<double> error;
    for (const Member& member : members) {
      values.push_back(value(member));
      if (member.figure->error) error = std::max(error.value_or(0), *member.figure->error);
    }
    summaries.push_back(
        {.about = middle,
         .group = name.second,
         .count = std::ssize(members),
         .minimum = values.front(),
         .median = median(values),
         .maximum = values.back(),
         .worst_rank = middle.lower_is_better ? members.back().rank : members.front().rank,
         .error = error});
  }
  return summaries;
}

Pattern pattern_of(double library, double by_hand, double tolerance) {
  const bool slow_library = library < 1 - tolerance, slow_hand = by_hand < 1 - tolerance;
  if (slow_library && slow_hand) return Pattern::Clock;
  if (slow_library) return Pattern::Power;
  return slow_hand ? Pattern::Memory : Pattern::None;
}

std::vector<RankFinding> find_patterns(std::span<const RankRecord> ranks, double tolerance) {
  constexpr double kSlack = 2;
  std::vector<RankFinding> found;
  for (const bool device : {false, true})
    find_on(ranks, device, kSlack * tolerance, found);
  return found;
}

std::vector<RankFinding> find_wrong_results(std::span<const RankRecord> ranks) {
  std::vector<RankFinding> found;
  for (const RankRecord& rank : ranks)
    for (const DeepFigure& figure : rank.deep)
      if (figure.error && !(*figure.error <= 1))
        found.push_back(
            {{.severity = Severity::Fault,
              .basis = Basis::Residual,
              .text = fmt::format("wrong result: {}: the error is {:.3g} times its bound",
                                  figure.label, *figure.error)},
             rank.rank});
  return found;
}

}  // namespace hpl
