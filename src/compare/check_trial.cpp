#include <map>
#include <string>
#include <utility>

#include "hpl/check/findings/check_members.h"
#include "snapshot.h"

namespace hpl {
namespace {

FleetMember fleet_member(CheckMember member) {
  return {.name = std::move(member.name),
          .kind = std::move(member.kind),
          .hosts = std::move(member.hosts),
          .ranks = std::move(member.ranks)};
}

}  // namespace

Trial trial_of(const CheckReport& check) {
  Trial trial{.check = true, .tolerance = check.tolerance};
  const CheckMembers members(check.ranks);
  std::map<std::string, FleetMember> links;
  for (const RankRecord& rank : check.ranks) {
    FleetMember member = fleet_member(members.of(rank));
    for (const RankFinding& finding : check.findings)
      if (finding.severity == Severity::Fault && finding.rank == rank.rank)
        member.findings.push_back(finding);
    for (const Measurement& measured : rank.measurements) {
      if (!is_comparable(rank, measured)) continue;
      CheckMember owner = members.of(rank, measured);
      FleetMember& known = owner.is_link()
                               ? links.try_emplace(owner.name, fleet_member(owner)).first->second
                               : member;
      known.figures[measured.metric] = measured.value;
    }
    trial.members.push_back(std::move(member));
  }
  for (auto& [name, link] : links)
    trial.members.push_back(std::move(link));
  return trial;
}

}  // namespace hpl
