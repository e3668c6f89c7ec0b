#include "hpl/check/findings/check_members.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/check/findings/population.h"

namespace hpl {
namespace {

bool computes_on_host(const RankRecord& rank) {
  return rank.device == "cpu";
}

bool is_crowded(const RankRecord& rank) {
  return !rank.crowded_cores.empty() && rank.crowded_cores.size() == rank.cores.size();
}

}  // namespace

bool is_of_nodes(Figure figure) {
  return figure == Figure::NodeLatency || figure == Figure::NodeBandwidth ||
         figure == Figure::NodeDeviceBandwidth;
}

CheckMembers::CheckMembers(std::span<const RankRecord> ranks) : ranks_(ranks) {
  std::map<std::pair<std::string, std::string>, int> on_device;
  for (const RankRecord& rank : ranks) {
    const int number = on_device[{rank.host, rank.device}]++;
    places_.push_back(computes_on_host(rank) ? fmt::format("rank {}", number)
                      : number == 0          ? rank.device
                                             : fmt::format("{} ({})", rank.device, number + 1));
  }
}

CheckMember CheckMembers::of(const RankRecord& rank) const {
  return {.name = fmt::format("{} {}", rank.host, place(rank)),
          .kind = computes_on_host(rank) ? rank.processor : rank.device_model,
          .hosts = {rank.host},
          .ranks = {rank.rank}};
}

CheckMember CheckMembers::of(const RankRecord& rank, const Measurement& measured) const {
  if (info(measured.metric).owner != Owner::Link || measured.peer == kNoPeer) return of(rank);
  const RankRecord& other = ranks_[static_cast<std::size_t>(measured.peer)];
  CheckMember link{.kind = "links " + link_kind(rank, other),
                   .hosts = {rank.host},
                   .ranks = {rank.rank, other.rank}};
  if (rank.host != other.host) link.hosts.push_back(other.host);
  if (is_of_nodes(measured.metric))
    link.name = fmt::format("{} - {}", rank.host, other.host);
  else if (rank.node == other.node)
    link.name = fmt::format("{} {} - {}", rank.host, place(rank), place(other));
  else
    link.name = fmt::format("{} {} - {} {}", rank.host, place(rank), other.host, place(other));
  return link;
}

std::string place_of(std::string name, std::span<const std::string> hosts) {
  for (const std::string& host : hosts)
    if (const auto at = name.find(host); at != std::string::npos) name.erase(at, host.size());
  return name;
}

bool is_comparable(const RankRecord& rank, const Measurement& measured) {
  return info(measured.metric).better != Better::NearZero &&
         !(measured.metric == Figure::HostDgemm && is_crowded(rank));
}

void require_order(const CheckReport& check, const std::string& name) {
  const auto count = std::ssize(check.ranks);
  for (int i = 0; i < count; ++i) {
    const RankRecord& rank = check.ranks[static_cast<std::size_t>(i)];
    const bool known = std::ranges::all_of(
        rank.measurements, [&](const Measurement& one) { return one.peer < count; });
    if (rank.rank != i || !known)
      throw ConfigError("{}: ranks[{}] must be rank {} with peers below {}, found another", name, i,
                        i, count);
  }
}

}  // namespace hpl
