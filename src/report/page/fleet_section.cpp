#include "fleet_section.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fleet_history.h"
#include "fleet_parts.h"
#include "format.h"
#include "hpl/base/text/zoned_time.h"

namespace hpl::page {

namespace {

constexpr std::size_t kMostWorst = 40, kMostHostsNamed = 12;

std::vector<const FleetReport*> fleets_of(std::span<const RunFile> files) {
  std::vector<const FleetReport*> fleets;
  for (const RunFile& file : files)
    if (file.fleet) fleets.push_back(&*file.fleet);
  return fleets;
}

bool has_fault(const std::vector<FleetFinding>& findings) {
  return std::ranges::any_of(findings, [](const FleetFinding& finding) {
    return finding.severity == FleetSeverity::Fault;
  });
}

struct Worst {
  bool fault = false;
  double percent = 0;
  std::string name, serial;
  FleetVerdict verdict{};
  const std::vector<FleetFinding>* findings = nullptr;
};

std::string worst_part(const FleetReport& fleet) {
  std::vector<Worst> all;
  for (const FleetUnit& unit : fleet.units) {
    if (unit.findings.empty()) continue;
    std::string serial;
    for (const FleetDevice& device : unit.devices)
      if (!device.identity.serial.empty())
        serial += (serial.empty() ? "" : ", ") + device.identity.serial;
    all.push_back({has_fault(unit.findings), below_median(fleet, unit).value_or(0), unit.name,
                   std::move(serial), unit.verdict, &unit.findings});
  }
  for (const FleetHost& host : fleet.hosts) {
    // What a unit of the host has is said of the unit.
    const bool own = std::ranges::any_of(host.findings, [](const FleetFinding& finding) {
      return finding.basis != FleetBasis::Unit;
    });
    if (own)
      all.push_back({has_fault(host.findings), 0, host.name, "", host.verdict, &host.findings});
  }
  if (all.empty()) return {};
  std::ranges::stable_sort(all, [](const Worst& a, const Worst& b) {
    return a.fault != b.fault ? a.fault : a.percent > b.percent;
  });
  std::string html =
      R"(<h3>The worst, with their reasons</h3><div class="scroll tall" tabindex="0" role="region" aria-label="The worst"><table><thead><tr>)"
      R"(<th scope="col">Unit or host</th><th scope="col">Verdict</th><th scope="col">Reason</th><th scope="col">Serial number</th></tr></thead><tbody>)"
      "\n";
  for (std::size_t i = 0; i < std::min(all.size(), kMostWorst); ++i) {
    std::string reasons;
    for (const FleetFinding& finding : *all[i].findings)
      if (finding.basis != FleetBasis::Unit)
        reasons += fmt::format("<li>{}</li>", escape(finding.text));
    html += fmt::format(
        R"(<tr{}><th scope="row">{}</th><td><span class="status {}">{}</span></td><td><ul class="notes">{}</ul></td><td>{}</td></tr>)",
        all[i].fault ? R"( class="bad")" : "", escape(all[i].name),
        all[i].verdict == FleetVerdict::Passed      ? "passed"
        : all[i].verdict == FleetVerdict::Unchecked ? "unchecked"
                                                    : "failed",
        to_string(all[i].verdict), reasons, escape(all[i].serial));
    html += '\n';
  }
  html += "</tbody></table></div>";
  if (all.size() > kMostWorst)
    html += fmt::format(R"(<p class="left">{} of {} are shown.</p>)", kMostWorst, all.size());
  return html;
}

std::string difference_part(const FleetReport& fleet) {
  if (fleet.differences.empty()) return {};
  std::string html =
      R"(<h3>Software and firmware that differ</h3><div class="scroll" tabindex="0" role="region" aria-label="Differences"><table><thead><tr>)"
      R"(<th scope="col">What</th><th scope="col">Most have</th><th scope="col">Others</th></tr></thead><tbody>)"
      "\n";
  for (const FleetDifference& difference : fleet.differences) {
    std::string others;
    for (const auto& [value, hosts] : difference.others)
      others += fmt::format("{}{}: {}", others.empty() ? "" : "; ",
                            value.empty() ? "unknown" : value, joined(hosts));
    html += fmt::format(R"(<tr><th scope="row">{}</th><td>{} ({})</td><td>{}</td></tr>)",
                        escape(difference.fact), escape(difference.majority),
                        count_text(static_cast<std::size_t>(difference.count), "host"),
                        escape(others)) +
            "\n";
  }
  return html + "</tbody></table></div>";
}

std::string list_row(const char* name, const std::string& hosts) {
  return fmt::format(R"(<tr><th scope="row">{}</th><td><code>{}</code></td></tr>)", name,
                     hosts.empty() ? "none" : escape(hosts));
}

std::size_t passed_hosts(const FleetReport& fleet) {
  return static_cast<std::size_t>(
      std::ranges::count(fleet.hosts, FleetVerdict::Passed, &FleetHost::verdict));
}

}  // namespace

const FigureStatistics* statistics_of(const FleetReport& fleet, const std::string& kind,
                                      FleetFigure figure) {
  for (const FleetKind& one : fleet.kinds)
    if (one.kind == kind)
      for (const FigureStatistics& statistics : one.figures)
        if (statistics.figure == figure) return &statistics;
  return nullptr;
}

std::optional<double> below_median(const FleetReport& fleet, const FleetUnit& unit) {
  const auto& rate = unit.figures[FleetFigure::Gflops];
  const FigureStatistics* const statistics = statistics_of(fleet, unit.kind, FleetFigure::Gflops);
  if (!rate || statistics == nullptr || !(statistics->median > 0)) return std::nullopt;
  return 100 * (1 - *rate / statistics->median);
}

std::string deviation_text(double below) {
  const double tenths = std::round(-10 * below);
  return tenths == 0 ? "0.0" : fmt::format("{:+.1f}", tenths / 10);
}

int heat(double percent) {
  return percent > 10 ? 4 : percent > 5 ? 3 : percent > 2 ? 2 : percent > 1 ? 1 : 0;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostHostsNamed); ++i)
    text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kMostHostsNamed)
    text += fmt::format(" and {} more", names.size() - kMostHostsNamed);
  return text;
}

std::string first_fault(const std::vector<FleetFinding>& findings) {
  for (const FleetFinding& finding : findings)
    if (finding.severity == FleetSeverity::Fault) return finding.text;
  return findings.empty() ? std::string() : findings.front().text;
}

std::string day_of(const FleetReport& fleet) {
  const std::string time = iso_time(fleet.started);
  return time.size() >= 16 ? time.substr(0, 10) + " " + time.substr(11, 5) : "unknown";
}

std::string fleet_tally(std::span<const RunFile> files) {
  const FleetHistory history = fleet_history(fleets_of(files));
  if (history.fleets.empty()) return {};
  const FleetReport& fleet = *history.fleets.back();
  return fmt::format("{} of {} passed", passed_hosts(fleet),
                     count_text(fleet.hosts.size(), "host"));
}

std::string fleet_section(std::span<const RunFile> files) {
  const FleetHistory history = fleet_history(fleets_of(files));
  if (history.fleets.empty()) return {};
  const FleetReport& fleet = *history.fleets.back();
  std::string html = fmt::format(
      "<section class=\"fleet\"><h2>Fleet</h2><p class=\"variant\">Each {} for itself, {}, from "
      "{}.</p>",
      name_of(kFleetUnitKinds, fleet.each), run_of_units(fleet.spec), escape(day_of(fleet)));
  if (const std::string label = mode_label(fleet.spec); !label.empty())
    html += fmt::format(R"(<p class="variant">{}</p>)", escape(label));
  for (const std::string& remark : fleet.remarks)
    html += fmt::format(R"(<p class="remark">{}</p>)", escape(remark));
  html += R"(<div class="scroll"><table class="pairs"><tbody>)" +
          list_row("Passed", fleet.pass_list) + list_row("To exclude", fleet.fail_list) +
          "</tbody></table></div>";
  html += map_part(fleet) + worst_part(fleet) + history_part(history) + distribution_part(fleet) +
          fleet_power_part(fleet) + difference_part(fleet);
  return html + "</section>\n";
}

}  // namespace hpl::page
