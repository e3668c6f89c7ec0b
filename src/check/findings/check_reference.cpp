#include "hpl/check/findings/check_reference.h"

#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/error/error.h"
#include "hpl/base/record/record.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/check/findings/node_links.h"

namespace hpl {
namespace {

/// Equal in two checks for the same rank or link.
std::string key_of(const CheckMember& member) {
  std::string key;
  for (const std::string& host : member.hosts)
    key += without_domain(host) + " ";
  return key + place_of(member.name, member.hosts);
}

/// Processors and devices, by host.
std::map<std::string, std::set<std::string>> models_of(std::span<const RankRecord> ranks) {
  const CheckMembers members(ranks);
  std::map<std::string, std::set<std::string>> models;
  for (const RankRecord& rank : ranks)
    models[without_domain(rank.host)].insert({rank.processor, members.of(rank).kind});
  return models;
}

std::string hosts_text(const std::map<std::string, std::set<std::string>>& models) {
  std::vector<std::string> hosts;
  for (const auto& [host, kinds] : models)
    hosts.push_back(host);
  return host_list(std::move(hosts));
}

std::string size_text(std::size_t ranks, std::size_t hosts) {
  return fmt::format("{} on {}", count_text(ranks, "rank"), count_text(hosts, "host"));
}

/// Figures that have a bad side, by rank or link, with their names for people. Links between many
/// nodes are left out: a document keeps medians, and the worst of each node alone.
std::map<std::pair<std::string, Figure>, std::string> names_of_figures(
    std::span<const RankRecord> ranks, bool many_nodes) {
  const CheckMembers members(ranks);
  std::map<std::pair<std::string, Figure>, std::string> names;
  for (const RankRecord& rank : ranks)
    for (const Measurement& measured : rank.measurements) {
      if (info(measured.metric).better == Better::Neither || !is_comparable(rank, measured) ||
          (many_nodes && is_of_nodes(measured.metric) && measured.peer != kNoPeer))
        continue;
      const CheckMember member = members.of(rank, measured);
      names.try_emplace({key_of(member), measured.metric},
                        fmt::format("{} of {}", info(measured.metric).label, member.name));
    }
  return names;
}

}  // namespace

CheckReference read_check_reference(const JsonCursor& document, const std::string& source) {
  const auto ranks = document.find("ranks");
  if (document.contains("kind") || !document.contains("preflight") || !ranks ||
      ranks->elements().empty())
    throw ConfigError(
        "{} must be the document of a check (xhpl check --json), found another document", source);
  auto read = from_json_value<CheckDocument>(document);
  require_order(read.check, source);
  if (shares_cores(read.check))
    throw ConfigError("{} must be of ranks with cores of their own, found ranks that share cores",
                      source);
  return {.source = source,
          .written = iso_time(read.program.started),
          .ranks = std::move(read.check.ranks)};
}

std::optional<std::string> reference_mismatch(const CheckReference& reference,
                                              std::span<const RankRecord> ranks) {
  const auto here = models_of(ranks), there = models_of(reference.ranks);
  if (reference.ranks.size() != ranks.size() || here.size() != there.size())
    return fmt::format("{} must be of {}, found {}", reference.source,
                       size_text(ranks.size(), here.size()),
                       size_text(reference.ranks.size(), there.size()));
  bool any_known = false;
  for (const auto& [host, models] : here) {
    const auto known = there.find(host);
    if (known == there.end()) continue;
    any_known = true;
    if (known->second != models)
      return fmt::format("{} must be of {} on {}, found {}", reference.source,
                         fmt::join(models, ", "), host, fmt::join(known->second, ", "));
  }
  if (any_known) return std::nullopt;
  return fmt::format("{} must be of {}, found {}", reference.source, hosts_text(here),
                     hosts_text(there));
}

CheckNorms::CheckNorms(const CheckReference& reference, std::span<const RankRecord> ranks)
    : source_(reference.source), members_(ranks) {
  const CheckMembers members(reference.ranks);
  for (const RankRecord& rank : reference.ranks)
    for (const Measurement& measured : rank.measurements)
      if (is_comparable(rank, measured) && std::isfinite(measured.value))
        figures_[key_of(members.of(rank, measured))][measured.metric] = measured.value;
}

std::optional<double> CheckNorms::of(const RankRecord& rank, const Measurement& measured) const {
  const auto found = figures_.find(key_of(members_.of(rank, measured)));
  return found == figures_.end() ? std::nullopt : found->second[measured.metric];
}

std::optional<Remark> remark_on_missing(const CheckReport& report,
                                        const CheckReference& reference) {
  const bool many_nodes = report.node_count > kNodesWithAllLinks;
  auto here = names_of_figures(report.ranks, many_nodes);
  auto there = names_of_figures(reference.ranks, many_nodes);
  for (auto one = here.begin(); one != here.end();)
    one = there.erase(one->first) > 0 ? here.erase(one) : std::next(one);
  here.merge(there);
  if (here.empty()) return std::nullopt;
  return warning("reference", "{} not compared with {}, as only one of the checks has {}: {}{}",
                 count_text(here.size(), "figure"), reference.source,
                 here.size() == 1 ? "it" : "them", here.begin()->second,
                 here.size() == 1 ? "" : " and others");
}

}  // namespace hpl
