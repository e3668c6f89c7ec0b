#include "fleet_hosts.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/text/host_list.h"
#include "hpl/machine/check/link_ends.h"

namespace hpl {
namespace {

std::string fact(const FleetHost& host, std::string_view name) {
  const auto found =
      std::ranges::find(host.facts, name, &std::pair<std::string, std::string>::first);
  return found == host.facts.end() ? "" : found->second;
}

/// How many devices most hosts with a processor show; of equally many hosts the larger number.
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
      host.findings.push_back(
          {.basis = FleetBasis::Count, .text = "was expected and did not report"});
      continue;
    }
    const int usual = usual_of.at(fact(host, "processor"));
    if (host.devices < usual)
      host.findings.push_back(
          {.basis = FleetBasis::Count,
           .value = host.devices,
           .expected = usual,
           .threshold = usual,
           .text = fmt::format("shows {} device(s), most hosts show {}", host.devices, usual)});
    if (!host.why_out.empty())
      host.findings.push_back({.basis = FleetBasis::Count, .text = host.why_out});
  }
}

const FleetFinding& first_fault(const FleetUnit& unit) {
  return *std::ranges::find(unit.findings, FleetSeverity::Fault, &FleetFinding::severity);
}

FleetHost* find_host(FleetReport& report, const std::string& name) {
  const auto found = std::ranges::find(report.hosts, name, &FleetHost::name);
  return found == report.hosts.end() ? nullptr : &*found;
}

void accuse(FleetReport& report, const std::string& host, std::string text) {
  if (FleetHost* const found = find_host(report, host))
    found->findings.push_back({.basis = FleetBasis::Unit, .text = std::move(text)});
}

/// A host whose pairs are bad with more than one neighbour is to blame; what is left is between two
/// hosts.
void judge_pairs(FleetReport& report) {
  LinkEnds ends;
  std::vector<const FleetUnit*> bad;
  const auto number = [&](const std::string& name) {
    return static_cast<int>(std::ranges::find(report.hosts, name, &FleetHost::name) -
                            report.hosts.begin());
  };
  const auto one = [&](const FleetUnit& unit) { return number(unit.hosts.front()); };
  const auto other = [&](const FleetUnit& unit) { return number(unit.hosts.back()); };
  for (const FleetUnit& unit : report.units) {
    if (unit.verdict == FleetVerdict::NotRun) continue;
    ends.add_link(one(unit), other(unit));
    if (unit.verdict != FleetVerdict::Failed) continue;
    ends.add_bad(one(unit), other(unit));
    bad.push_back(&unit);
  }
  while (const auto culprit = ends.culprit()) {
    const FleetUnit* worst = nullptr;
    const int count = ends.bad(*culprit);
    std::erase_if(bad, [&](const FleetUnit* unit) {
      if (one(*unit) != *culprit && other(*unit) != *culprit) return false;
      if (worst == nullptr) worst = unit;
      ends.remove_bad(one(*unit), other(*unit));
      return true;
    });
    FleetHost& host = report.hosts[static_cast<std::size_t>(*culprit)];
    host.findings.push_back(
        {.basis = FleetBasis::Unit,
         .text = fmt::format("{} of its {} pairs failed; {}: {}", count, ends.links(*culprit),
                             worst->name, first_fault(*worst).text)});
  }
  for (const FleetUnit* const unit : bad) {
    const bool link = ends.links(one(*unit)) > 1 && ends.links(other(*unit)) > 1;
    for (const std::string& host : unit->hosts)
      accuse(report, host,
             fmt::format("the pair {}{}: {}", unit->name,
                         link ? " failed, and none of the two with its other neighbour, so that "
                                "the link between them is in doubt"
                              : "",
                         first_fault(*unit).text));
  }
}

}  // namespace

bool has_fault(std::span<const FleetFinding> findings) {
  return std::ranges::find(findings, FleetSeverity::Fault, &FleetFinding::severity) !=
         findings.end();
}

void judge_hosts(FleetReport& report) {
  for (FleetHost& host : report.hosts)
    host.findings.clear();
  judge_devices_of(report);
  if (report.each == FleetUnitKind::Pair) {
    judge_pairs(report);
  } else {
    for (const FleetUnit& unit : report.units)
      if (unit.verdict == FleetVerdict::Failed)
        accuse(report, unit.hosts.front(),
               report.each == FleetUnitKind::Node
                   ? first_fault(unit).text
                   : fmt::format("{}: {}", unit.name, first_fault(unit).text));
  }
  std::map<std::string, bool> takes_part, is_open;
  for (const FleetUnit& unit : report.units)
    for (const std::string& host : unit.hosts) {
      takes_part[host] = takes_part[host] || !unit.rounds.empty();
      is_open[host] = is_open[host] || unit.verdict == FleetVerdict::Unchecked ||
                      unit.verdict == FleetVerdict::NotRun;
    }
  for (FleetHost& host : report.hosts)
    host.verdict = host.ranks == 0                      ? FleetVerdict::Missing
                   : !takes_part[host.name]             ? FleetVerdict::NotRun
                   : has_fault(host.findings)           ? FleetVerdict::Failed
                   : is_open[host.name] || report.error ? FleetVerdict::Unchecked
                                                        : FleetVerdict::Passed;
  list_hosts(report);
}

void list_hosts(FleetReport& report) {
  std::vector<std::string> passed, failed;
  for (const FleetHost& host : report.hosts)
    if (host.verdict == FleetVerdict::Passed)
      passed.push_back(host.name);
    else if (host.verdict != FleetVerdict::Unchecked)
      failed.push_back(host.name);
  report.pass_list = host_list(passed);
  report.fail_list = host_list(failed);
}

}  // namespace hpl
