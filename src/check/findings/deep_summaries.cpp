#include <algorithm>
#include <map>
#include <utility>

#include "hpl/base/number/statistics.h"
#include "hpl/check/findings/finding.h"

namespace hpl {
namespace {

const std::string& model_of(const RankRecord& rank, bool device) {
  return device ? rank.device_model : rank.processor;
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
    for (const Member& member : members)
      values.push_back(value(member));
    summaries.push_back(
        {.about = middle,
         .group = name.second,
         .count = std::ssize(members),
         .minimum = values.front(),
         .median = median(values),
         .maximum = values.back(),
         .worst_rank = middle.lower_is_better ? members.back().rank : members.front().rank});
  }
  return summaries;
}

}  // namespace hpl
