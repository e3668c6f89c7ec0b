#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hpl/check/findings/check_report.h"
#include "hpl/check/findings/population.h"
#include "snapshot.h"

namespace hpl {
namespace {

/// Members are made of what a document holds, which is less than the check itself knows.
bool computes_on_host(const RankRecord& rank) {
  return rank.device == "cpu";
}

bool is_crowded(const RankRecord& rank) {
  return !rank.crowded_cores.empty() && rank.crowded_cores.size() == rank.cores.size();
}

/// The ranks of a check, by the names that they have in every other one.
class CheckedRanks {
 public:
  explicit CheckedRanks(const CheckReport& check) {
    std::map<std::string, int> on_host;
    for (const RankRecord& rank : check.ranks) {
      const int number = on_host[rank.host]++;
      places_.push_back(computes_on_host(rank) ? fmt::format("rank {}", number) : rank.device);
    }
  }

  FleetMember member(const RankRecord& rank) const {
    return {.name = fmt::format("{} {}", rank.host, place(rank)),
            .kind = computes_on_host(rank) ? rank.processor : rank.device_model,
            .hosts = {rank.host},
            .ranks = {rank.rank}};
  }

  /// "node1 cuda 0 - cuda 1", "node1 - node2"
  FleetMember link(const RankRecord& one, const RankRecord& other, bool of_nodes) const {
    FleetMember member{.hosts = {one.host}, .ranks = {one.rank, other.rank}};
    if (one.host != other.host) member.hosts.push_back(other.host);
    if (of_nodes)
      member.name = fmt::format("{} - {}", one.host, other.host);
    else if (one.node == other.node)
      member.name = fmt::format("{} {} - {}", one.host, place(one), place(other));
    else
      member.name = fmt::format("{} {} - {} {}", one.host, place(one), other.host, place(other));
    member.kind = "links " + link_kind(one, other);
    return member;
  }

 private:
  const std::string& place(const RankRecord& rank) const {
    return places_[static_cast<std::size_t>(rank.rank)];
  }

  std::vector<std::string> places_;
};

bool is_of_nodes(Figure figure) {
  return figure == Figure::NodeLatency || figure == Figure::NodeBandwidth ||
         figure == Figure::NodeDeviceBandwidth;
}

}  // namespace

Trial trial_of(const CheckReport& check) {
  Trial trial{.check = true, .tolerance = check.tolerance};
  const CheckedRanks ranks(check);
  std::map<std::string, FleetMember> links;
  for (const RankRecord& rank : check.ranks) {
    FleetMember member = ranks.member(rank);
    for (const RankFinding& finding : check.findings)
      if (finding.severity == Severity::Fault && finding.rank == rank.rank)
        member.findings.push_back(finding);
    for (const Measurement& measured : rank.measurements) {
      const FigureInfo& about = info(measured.metric);
      // Clocks are set by a time service, and cores that other work used say nothing.
      if (about.better == Better::NearZero) continue;
      if (measured.metric == Figure::HostDgemm && is_crowded(rank)) continue;
      // A document of many nodes keeps the median of each, without the other ends.
      if (about.owner != Owner::Link || measured.peer == kNoPeer) {
        member.figures[measured.metric] = measured.value;
        continue;
      }
      FleetMember link = ranks.link(rank, check.ranks.at(static_cast<std::size_t>(measured.peer)),
                                    is_of_nodes(measured.metric));
      auto& known = links.try_emplace(link.name, std::move(link)).first->second;
      known.figures[measured.metric] = measured.value;
    }
    trial.members.push_back(std::move(member));
  }
  for (auto& [name, link] : links)
    trial.members.push_back(std::move(link));
  return trial;
}

}  // namespace hpl
