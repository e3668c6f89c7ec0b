#include "hpl/fleet/report/fleet_actions.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/text/host_list.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_value.h"
#include "hpl/fleet/judge/fleet_verdict.h"

namespace hpl {
namespace {

/// "rate 24 % low", "temperature 92 C"
std::string short_text(Figure figure, double value, double expected) {
  const FigureInfo& about = info(figure);
  if (about.points) return fmt::format("{} {:.0f} {}", about.label, value, about.unit);
  return fmt::format("{} {:.0f} % {}", about.label, 100 * std::abs(value / expected - 1),
                     value < expected ? "low" : "high");
}

/// "ISOLATE: uncorrected memory errors"
std::string short_text(const Finding& finding) {
  if (finding.action)
    return fmt::format("{}: {}", name_of(kActions, *finding.action),
                       finding.figure ? info(*finding.figure).label : "device fault");
  if (finding.figure && finding.value && finding.expected)
    return short_text(*finding.figure, *finding.value, *finding.expected);
  switch (finding.basis) {
    case Basis::Residual:
      return "wrong result";
    case Basis::Peers:
    case Basis::Reference:
    case Basis::Expectation:
      return "no rate";
    case Basis::Gate:
      return "gate missed";
    case Basis::Device:
      return "device fault";
    case Basis::Disturbed:
      return "disturbed";
    case Basis::Count:
      return finding.value ? "devices missing" : "no device, or no report";
    case Basis::Member:
    case Basis::Job:
      return "failed";
  }
  return "failed";
}

/// The worst finding on a host, by its members where one of them brought it about.
std::string reason_of(const FleetReport& report, const FleetHost& host) {
  const Finding* found = worst(host.findings);
  if (found == nullptr) return "took no part";
  if (found->basis != Basis::Member) return short_text(*found);
  for (const FleetMember& member : report.members) {
    const Finding* const own = worst(member.findings);
    if (own != nullptr && own->severity == found->severity &&
        std::ranges::find(member.hosts, host.name) != member.hosts.end())
      return short_text(*own);
  }
  return short_text(*found);
}

/// "clock 1410.00 MHz, others 1702.00 to 1755.00, median 1750.00"
std::string figure_line(const FleetMember& member, const FigureStatistics& of) {
  const auto& value = member.figures[of.figure];
  if (!value) return {};
  const FigureScale in = scale_of(of.figure, of.median);
  return fmt::format("  {} {:.2f}{}{}; of {} members {:.2f} to {:.2f}, median {:.2f}\n",
                     info(of.figure).label, *value / in.scale, in.unit.empty() ? "" : " ", in.unit,
                     of.count, of.minimum / in.scale, of.maximum / in.scale, of.median / in.scale);
}

std::string evidence_of(const FleetReport& report, const FleetMember& member) {
  const JobDevice& device = member.devices.front();
  std::string text = fmt::format("{}: {}", one_line(member.name), one_line(device.model));
  for (const auto& [name, value] :
       {std::pair<std::string_view, std::string_view>{"serial number", device.identity.serial},
        {"PCI address", device.health.pci_address},
        {"firmware", device.identity.firmware},
        {"driver", device.identity.driver}})
    if (!value.empty()) text += fmt::format(", {} {}", name, one_line(value));
  text += "\n";
  for (const Finding& finding : member.findings)
    text +=
        fmt::format("  {}: {}\n", name_of(kSeverities, finding.severity), one_line(finding.text));
  const auto kind = std::ranges::find(report.kinds, member.kind, &FleetKind::kind);
  if (kind == report.kinds.end()) return text;
  for (const FigureStatistics& of : kind->figures)
    text += figure_line(member, of);
  return text;
}

}  // namespace

std::string drain_commands(const FleetReport& report) {
  std::vector<std::pair<std::string, std::vector<std::string>>> hosts_by_reason;
  std::size_t left_out = 0;
  for (const FleetHost& host : report.hosts) {
    if (has_passed(host.verdict) || host.verdict == Verdict::Unchecked) continue;
    if (!is_plain_host(host.name)) {
      ++left_out;
      continue;
    }
    std::string reason = reason_of(report, host);
    auto found = std::ranges::find(hosts_by_reason, reason,
                                   &std::pair<std::string, std::vector<std::string>>::first);
    if (found == hosts_by_reason.end())
      found = hosts_by_reason.insert(found, {std::move(reason), {}});
    found->second.push_back(host.name);
  }
  std::string text;
  for (const auto& [reason, hosts] : hosts_by_reason)
    text += fmt::format("scontrol update nodename={} state=drain reason=\"xhpl: {}\"\n",
                        host_list(hosts), reason);
  if (left_out > 0)
    text += fmt::format("# left out: {} whose name has characters beyond A-Z a-z 0-9 . _ -\n",
                        count_text(left_out, "host"));
  return text;
}

std::string device_evidence(const FleetReport& report) {
  std::string text;
  for (const FleetMember& member : report.members)
    if (member.verdict == Verdict::Failed && member.devices.size() == 1)
      text += evidence_of(report, member);
  return text;
}

}  // namespace hpl
