#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fleet_judge.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/quantity.h"
#include "hpl/check/findings/link_ends.h"
#include "hpl/fleet/judge/fleet_verdict.h"
#include "hpl/report/result/hardware_events.h"

namespace hpl {
namespace {

std::string fact(const FleetHost& host, std::string_view name) {
  const auto found =
      std::ranges::find(host.facts, name, &std::pair<std::string, std::string>::first);
  return found == host.facts.end() ? "" : found->second;
}

/// The number of devices that most hosts with a processor show; of equally many hosts the larger
/// number.
std::map<std::string, int> usual_devices(std::span<const FleetHost> hosts) {
  std::map<std::string, std::map<int, int>> counts;
  for (const FleetHost& host : hosts)
    if (host.ranks > 0) ++counts[fact(host, "processor")][host.devices];
  std::map<std::string, int> usual;
  for (const auto& [processor, of_hosts] : counts) {
    int most = 0;
    for (const auto& [devices, count] : of_hosts)
      if (count >= most) {
        usual[processor] = devices;
        most = count;
      }
  }
  return usual;
}

void judge_devices_of(FleetReport& report) {
  const std::map<std::string, int> usual_of = usual_devices(report.hosts);
  for (FleetHost& host : report.hosts) {
    if (host.ranks == 0) {
      host.findings.push_back({.basis = Basis::Count, .text = "was expected and did not report"});
      continue;
    }
    const int usual = usual_of.at(fact(host, "processor"));
    if (host.devices < usual)
      host.findings.push_back({.basis = Basis::Count,
                               .value = host.devices,
                               .expected = usual,
                               .threshold = usual,
                               .text = fmt::format("shows {}, most hosts show {}",
                                                   count_text(host.devices, "device"), usual)});
    if (!host.why_out.empty())
      host.findings.push_back({.basis = Basis::Count, .text = host.why_out});
  }
}

FleetHost* find_host(FleetReport& report, const std::string& name) {
  const auto found = std::ranges::find(report.hosts, name, &FleetHost::name);
  return found == report.hosts.end() ? nullptr : &*found;
}

/// The members of a host see the same events: it has each kind once.
void judge_events_of_hosts(FleetReport& report) {
  for (const FleetMember& member : report.members)
    for (EventFinding& found : event_findings(member.runs)) {
      FleetHost* const host = found.backend.empty() ? find_host(report, found.host) : nullptr;
      if (host != nullptr &&
          std::ranges::find(host->findings, found.figure, &Finding::figure) == host->findings.end())
        host->findings.push_back(std::move(found));
    }
}

/// The finding on a member as one on its host, in other words.
Finding of_host(Finding finding, std::string text) {
  finding.basis = Basis::Member;
  finding.text = std::move(text);
  return finding;
}

void accuse(FleetReport& report, const std::string& host, const FleetMember& member,
            const std::string& before) {
  const Finding& finding = *worst(member.findings);
  if (FleetHost* const found = find_host(report, host))
    found->findings.push_back(of_host(finding, before + finding.text));
}

/// A host whose pairs are bad with more than one neighbour is to blame; what is left is between two
/// hosts. Bad pairs have the verdict `bad_verdict`: Failed or Warned.
void judge_pairs(FleetReport& report, Verdict bad_verdict) {
  LinkEnds ends;
  std::vector<const FleetMember*> bad;
  const auto number = [&](const std::string& name) {
    return static_cast<int>(std::ranges::find(report.hosts, name, &FleetHost::name) -
                            report.hosts.begin());
  };
  const auto one = [&](const FleetMember& member) { return number(member.hosts.front()); };
  const auto other = [&](const FleetMember& member) { return number(member.hosts.back()); };
  for (const FleetMember& member : report.members) {
    if (member.verdict == Verdict::NotRun) continue;
    ends.add_link(one(member), other(member));
    if (member.verdict != bad_verdict) continue;
    ends.add_bad(one(member), other(member));
    bad.push_back(&member);
  }
  while (const auto culprit = ends.culprit()) {
    const FleetMember* first = nullptr;
    const int count = ends.bad(*culprit);
    std::erase_if(bad, [&](const FleetMember* member) {
      if (one(*member) != *culprit && other(*member) != *culprit) return false;
      if (first == nullptr) first = member;
      ends.remove_bad(one(*member), other(*member));
      return true;
    });
    FleetHost& host = report.hosts[*culprit];
    const Finding& finding = *worst(first->findings);
    host.findings.push_back(
        of_host(finding, fmt::format("{} of its {} pairs {}; {}: {}", count, ends.links(*culprit),
                                     to_string(bad_verdict), first->name, finding.text)));
  }
  for (const FleetMember* const member : bad) {
    const bool link = ends.links(one(*member)) > 1 && ends.links(other(*member)) > 1;
    for (const std::string& host : member->hosts)
      accuse(report, host, *member,
             link ? fmt::format("the pair {} {}, and none of the two with its other neighbour, so "
                                "that the link between them is in doubt: ",
                                member->name, to_string(bad_verdict))
                  : fmt::format("the pair {}: ", member->name));
  }
}

/// Nobody is better than its own job found it: its limits, peers and reference were others.
void apply_own_verdict(FleetHost& host) {
  if (!host.own || rank_of(host.own->verdict) <= rank_of(host.verdict)) return;
  host.findings.push_back(
      {.severity = host.own->severity, .basis = Basis::Job, .text = host.own->text});
  host.verdict = host.own->verdict;
}

/// The job did not come to its end. One that ended since members were silent has let all others
/// finish what they were at.
bool is_cut_off(const FleetReport& report) {
  return report.error && std::ranges::find(report.members, MemberState::Silent,
                                           &FleetMember::state) == report.members.end();
}

void set_verdicts(FleetReport& report) {
  std::map<std::string, bool> takes_part, is_open;
  const bool cut_off = is_cut_off(report);
  for (const FleetMember& member : report.members)
    for (const std::string& host : member.hosts) {
      takes_part[host] = takes_part[host] || !member.runs.empty() ||
                         member.state == MemberState::Silent || report.error;
      is_open[host] = is_open[host] || member.verdict == Verdict::Unchecked ||
                      member.verdict == Verdict::NotRun || member.state == MemberState::AtWork;
    }
  for (FleetHost& host : report.hosts) {
    const Verdict verdict = verdict_by(host.findings);
    const bool is_whole = verdict == Verdict::Failed || !(is_open[host.name] || cut_off);
    host.verdict = host.ranks == 0          ? Verdict::Missing
                   : !takes_part[host.name] ? Verdict::NotRun
                   : is_whole               ? verdict
                                            : Verdict::Unchecked;
    apply_own_verdict(host);
  }
}

void list_hosts(FleetReport& report) {
  std::vector<std::string> passed, warned, failed;
  for (const FleetHost& host : report.hosts)
    if (host.verdict != Verdict::Unchecked)
      (host.verdict == Verdict::Passed   ? passed
       : host.verdict == Verdict::Warned ? warned
                                         : failed)
          .push_back(host.name);
  report.pass_list = host_list(passed);
  report.warn_list = host_list(warned);
  report.fail_list = host_list(failed);
}

/// No two hosts have the same, and nobody expects it.
constexpr std::string_view kOwnFact = "serial";

/// A fact: its value on each host that has it, in the order of the hosts.
using Fact = std::vector<std::pair<std::string, std::string>>;

/// Facts in the order in which they first appear.
class Facts {
 public:
  void add(const std::string& name, const std::string& host, const std::string& value) {
    if (value.empty() || name == kOwnFact) return;
    auto found = std::ranges::find(facts_, name, &std::pair<std::string, Fact>::first);
    if (found == facts_.end()) found = facts_.insert(found, {name, {}});
    found->second.emplace_back(host, value);
  }
  const std::vector<std::pair<std::string, Fact>>& all() const { return facts_; }

 private:
  std::vector<std::pair<std::string, Fact>> facts_;
};

/// Of the devices of a host, by model: different values together make one.
void add_of_devices(Facts& facts, std::span<const FleetMember> members, std::string_view name,
                    std::string hpcx::DeviceIdentity::*value) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> found;  // model and host
  for (const FleetMember& member : members)
    for (const JobDevice& device : member.devices)
      if (!(device.identity.*value).empty())
        found[{device.model, device.host}].insert(device.identity.*value);
  for (const auto& [where, values] : found)
    facts.add(fmt::format("{} of {}", name, where.first), where.second,
              fmt::format("{}", fmt::join(values, " and ")));
}

std::optional<FleetDifference> difference_of(const std::string& name, const Fact& fact) {
  std::vector<FleetDifference::Other> groups;
  for (const auto& [host, value] : fact) {
    auto found = std::ranges::find(groups, value, &FleetDifference::Other::value);
    if (found == groups.end()) found = groups.insert(found, {value, {}});
    found->hosts.push_back(host);
  }
  if (groups.size() < 2) return std::nullopt;
  std::ranges::stable_sort(groups, std::greater{},
                           [](const auto& group) { return group.hosts.size(); });
  return FleetDifference{.fact = name,
                         .majority = groups.front().value,
                         .count = static_cast<int>(groups.front().hosts.size()),
                         .others = {groups.begin() + 1, groups.end()}};
}

}  // namespace

std::ptrdiff_t rank_of(Verdict verdict) {
  constexpr std::array kOrder{Verdict::Passed, Verdict::Warned, Verdict::Unchecked,
                              Verdict::Failed};
  return std::ranges::find(kOrder, verdict) - kOrder.begin();
}

const Finding* worst(std::span<const Finding> findings) {
  const auto found = std::ranges::min_element(findings, {}, &Finding::severity);
  return found == findings.end() ? nullptr : &*found;
}

Verdict verdict_by(std::span<const Finding> findings) {
  const Finding* const finding = worst(findings);
  if (finding == nullptr || finding->severity == Severity::Remark) return Verdict::Passed;
  return fails_by(finding->severity) ? Verdict::Failed : Verdict::Warned;
}

void judge_hosts(FleetReport& report) {
  for (FleetHost& host : report.hosts)
    host.findings.clear();
  judge_devices_of(report);
  judge_events_of_hosts(report);
  if (report.each == FleetMemberKind::Pair) {
    judge_pairs(report, Verdict::Failed);
    judge_pairs(report, Verdict::Warned);
  } else {
    for (const FleetMember& member : report.members)
      if (verdict_by(member.findings) != Verdict::Passed)
        accuse(report, member.hosts.front(), member,
               report.each == FleetMemberKind::Node ? "" : member.name + ": ");
  }
  set_verdicts(report);
  list_hosts(report);
}

std::vector<FleetDifference> differences_of(std::span<const FleetHost> hosts,
                                            std::span<const FleetMember> members) {
  Facts facts;
  for (const FleetHost& host : hosts)
    for (const auto& [name, value] : host.facts)
      facts.add(name, host.name, value);
  add_of_devices(facts, members, "driver", &hpcx::DeviceIdentity::driver);
  add_of_devices(facts, members, "firmware", &hpcx::DeviceIdentity::firmware);
  std::vector<FleetDifference> differences;
  for (const auto& [name, fact] : facts.all())
    if (auto found = difference_of(name, fact)) differences.push_back(std::move(*found));
  return differences;
}

}  // namespace hpl
