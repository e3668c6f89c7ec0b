#include "fleet_section.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "chart.h"
#include "fleet_history.h"
#include "format.h"

namespace hpl::page {

namespace {

constexpr std::size_t kMostWorst = 40, kMostDrifts = 24, kBins = 12, kMostHostsNamed = 12;

std::vector<const FleetReport*> fleets_of(std::span<const RunFile> files) {
  std::vector<const FleetReport*> fleets;
  for (const RunFile& file : files)
    if (file.fleet) fleets.push_back(&*file.fleet);
  return fleets;
}

const FigureStatistics* statistics_of(const FleetReport& fleet, const std::string& kind,
                                      FleetFigure figure) {
  for (const FleetKind& one : fleet.kinds)
    if (one.kind == kind)
      for (const FigureStatistics& statistics : one.figures)
        if (statistics.figure == figure) return &statistics;
  return nullptr;
}

bool has_fault(const std::vector<FleetFinding>& findings) {
  return std::ranges::any_of(findings, [](const FleetFinding& finding) {
    return finding.severity == FleetSeverity::Fault;
  });
}

/// How far a unit is below the median of its kind, percent; empty where it has no rate.
std::optional<double> below_median(const FleetReport& fleet, const FleetUnit& unit) {
  const auto& rate = unit.figures[FleetFigure::Gflops];
  const FigureStatistics* const statistics = statistics_of(fleet, unit.kind, FleetFigure::Gflops);
  if (!rate || statistics == nullptr || !(statistics->median > 0)) return std::nullopt;
  return 100 * (1 - *rate / statistics->median);
}

/// "+0.3" of 0.3 above the median; "0.0" has no sign.
std::string deviation_text(double below) {
  const double tenths = std::round(-10 * below);
  return tenths == 0 ? "0.0" : fmt::format("{:+.1f}", tenths / 10);
}

/// 0 to 4, as in the table of ranks.
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

std::string unit_cell(const FleetReport& fleet, const FleetUnit& unit, const std::string& label) {
  const auto percent = below_median(fleet, unit);
  const auto& rate = unit.figures[FleetFigure::Gflops];
  std::string title = unit.name;
  if (rate) title += ": " + rate_text(*rate);
  if (percent) title += fmt::format(", {} % of the median", deviation_text(*percent));
  if (const std::string reason = first_fault(unit.findings); !reason.empty())
    title += "; " + reason;
  const bool fault = unit.verdict != FleetVerdict::Passed;
  return fmt::format(R"(<td class="cell h{}{}" title="{}"><span>{}</span>{}</td>)",
                     percent ? heat(*percent) : 0, fault ? " fault" : "", escape(title),
                     escape(label),
                     !rate     ? "–"
                     : percent ? deviation_text(*percent)
                               : rate_text(*rate));
}

/// A row a host, a column a device.
std::string device_map(const FleetReport& fleet) {
  std::map<std::string, std::vector<const FleetUnit*>> by_host;
  std::size_t columns = 0;
  for (const FleetUnit& unit : fleet.units) {
    auto& units = by_host[unit.hosts.empty() ? unit.name : unit.hosts.front()];
    units.push_back(&unit);
    columns = std::max(columns, units.size());
  }
  for (const FleetHost& host : fleet.hosts)
    by_host.try_emplace(host.name);
  std::string rows;
  for (const auto& [host, units] : by_host) {
    rows += fmt::format(R"(<tr><th scope="row">{}</th>)", escape(host));
    for (std::size_t i = 0; i < columns; ++i) {
      if (i >= units.size()) {
        rows += R"(<td class="cell fault">none</td>)";
        continue;
      }
      const auto& devices = units[i]->devices;
      rows += unit_cell(fleet, *units[i],
                        devices.empty()
                            ? std::to_string(i)
                            : fmt::format("{} {}", devices.front().backend, devices.front().index));
    }
    rows += "</tr>\n";
  }
  return rows;
}

/// Cells one after the other: a unit is a node, or a pair of them.
std::string node_map(const FleetReport& fleet) {
  constexpr std::size_t kColumns = 8;
  std::string rows;
  for (std::size_t i = 0; i < fleet.units.size(); ++i) {
    if (i % kColumns == 0) rows += i == 0 ? "<tr>" : "</tr>\n<tr>";
    rows += unit_cell(fleet, fleet.units[i], fleet.units[i].name);
  }
  return rows.empty() ? rows : rows + "</tr>\n";
}

std::string map_part(const FleetReport& fleet) {
  const std::string rows =
      fleet.each == FleetUnitKind::Device ? device_map(fleet) : node_map(fleet);
  if (rows.empty()) return {};
  return R"(<h3>Rate against the median of its kind, percent</h3>)"
         R"(<div class="scroll tall" tabindex="0" role="region" aria-label="Map of the fleet"><table class="map"><tbody>)" +
         rows + "</tbody></table></div>";
}

/// How many units have which rate.
std::string distribution(const FleetReport& fleet, const FleetKind& kind) {
  const FigureStatistics* const rates = statistics_of(fleet, kind.kind, FleetFigure::Gflops);
  if (rates == nullptr || rates->count < 2 || !(rates->maximum > rates->minimum)) return {};
  const RateUnit unit = rate_unit(rates->maximum);
  std::vector<std::size_t> counts(kBins, 0);
  const double width = (rates->maximum - rates->minimum) / kBins;
  for (const FleetUnit& one : fleet.units) {
    const auto& rate = one.figures[FleetFigure::Gflops];
    if (one.kind != kind.kind || !rate) continue;
    const auto bin = static_cast<std::size_t>(
        std::clamp((*rate - rates->minimum) / width, 0.0, static_cast<double>(kBins - 1)));
    ++counts[bin];
  }
  const auto most = static_cast<double>(*std::ranges::max_element(counts));
  RangeChart chart{.title = "Distribution of " + kind.kind,
                   .unit = fmt::format("units by rate, {}", unit.name),
                   .summary = fmt::format("Rates of {} units", rates->count),
                   .x = round_axis(0, most),
                   .bars = true,
                   .rows = {}};
  for (std::size_t bin = kBins; bin-- > 0;) {
    const double low = rates->minimum + width * static_cast<double>(bin);
    const auto count = static_cast<double>(counts[bin]);
    const std::string label =
        fmt::format("{:.4g} to {:.4g}", low / unit.gflops, (low + width) / unit.gflops);
    chart.rows.push_back(
        {.label = label,
         .text = std::to_string(counts[bin]),
         .title = fmt::format("{}: {}", label, count_text(counts[bin], "unit")),
         .low = count,
         .middle = count,
         .high = count,
         .dots = {},
         .marked = rates->threshold && low + width <= *rates->threshold && counts[bin] > 0});
  }
  return to_html(chart);
}

std::string figure_table(const FleetReport& fleet) {
  std::string rows;
  for (const FleetKind& kind : fleet.kinds) {
    for (const FigureStatistics& one : kind.figures) {
      const FleetFigureInfo& about = info(one.figure);
      rows += fmt::format(R"(<tr><th scope="row">{}</th><td>{}{}{}</td><td class="n">{}</td>)",
                          escape(kind.kind), escape(about.label), about.unit.empty() ? "" : ", ",
                          escape(about.unit), one.count);
      for (const double value : {one.minimum, one.median, one.maximum, one.spread})
        rows += fmt::format(R"(<td class="n">{}</td>)", number_text(value));
      rows +=
          fmt::format(R"(<td class="n">{}</td><td>{}</td></tr>)",
                      one.threshold ? number_text(*one.threshold) : "", escape(one.worst_unit)) +
          "\n";
    }
    if (!kind.remark.empty())
      rows += fmt::format(R"(<tr><th scope="row">{}</th><td colspan="8">{}</td></tr>)",
                          escape(kind.kind), escape(kind.remark));
  }
  if (rows.empty()) return {};
  return R"(<div class="scroll tall" tabindex="0" role="region" aria-label="Figures of the fleet"><table><thead><tr>)"
         R"(<th scope="col">Kind</th><th scope="col">Figure</th><th scope="col" class="n">Units</th>)"
         R"(<th scope="col" class="n">Least</th><th scope="col" class="n">Median</th><th scope="col" class="n">Most</th>)"
         R"(<th scope="col" class="n">Robust spread</th><th scope="col" class="n">Finding from</th><th scope="col">Worst</th></tr></thead><tbody>)"
         "\n" +
         rows + "</tbody></table></div>";
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
        all[i].verdict == FleetVerdict::Passed ? "passed" : "failed", to_string(all[i].verdict),
        reasons, escape(all[i].serial));
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

std::string day_of(const FleetReport& fleet) {
  const std::string time = iso_time(fleet.started);
  return time.size() >= 16 ? time.substr(0, 10) + " " + time.substr(11, 5) : "unknown";
}

/// Median and extremes of a kind's rates over the acceptances.
std::string history_chart(const FleetHistory& history, const std::string& kind) {
  std::vector<std::pair<std::size_t, const FigureStatistics*>> seen;
  double least = 0, most = 0;
  for (std::size_t i = 0; i < history.fleets.size(); ++i)
    if (const auto* rates = statistics_of(*history.fleets[i], kind, FleetFigure::Gflops)) {
      least = seen.empty() ? rates->minimum : std::min(least, rates->minimum);
      most = std::max(most, rates->maximum);
      seen.emplace_back(i, rates);
    }
  if (seen.size() < 2) return {};
  const RateUnit unit = rate_unit(most);
  LineChart chart{.title = kind,
                  .unit = unit.name,
                  .x_title = fmt::format("{} acceptances by date", history.fleets.size()),
                  .summary = fmt::format("Rates of {} over {} acceptances", kind, seen.size()),
                  .x = exact_axis(0, static_cast<double>(history.fleets.size() - 1), 1),
                  .y = level_axis(least / unit.gflops, most / unit.gflops),
                  .lines = {{.label = "median", .points = {}}},
                  .bands = {{.label = "all units", .lower = {}, .upper = {}}},
                  .levels = {},
                  .point_names = {}};
  if (chart.y.from > 0) chart.note = "axis from " + number_text(chart.y.from);
  for (const auto& [index, rates] : seen) {
    const auto x = static_cast<double>(index);
    chart.lines[0].points.emplace_back(x, rates->median / unit.gflops);
    chart.bands[0].lower.emplace_back(x, rates->minimum / unit.gflops);
    chart.bands[0].upper.emplace_back(x, rates->maximum / unit.gflops);
    chart.point_names.push_back(day_of(*history.fleets[index]));
  }
  return to_html(chart);
}

std::string drift_table(const FleetHistory& history) {
  std::string rows;
  std::size_t shown = 0;
  for (const UnitDrift& drift : history.drifts) {
    if (drift.against_peers > -kLeastDrift || shown == kMostDrifts) break;
    ++shown;
    rows += fmt::format(
        R"(<tr><th scope="row">{}</th><td class="n h{}">{:+.1f} %</td><td class="n">{:+.1f}</td>)",
        escape(drift.unit), heat(-drift.against_peers), drift.percent, drift.against_peers);
    for (const auto& rate : drift.gflops)
      rows += fmt::format(R"(<td class="n">{}</td>)", rate ? rate_text(*rate) : "");
    rows += "</tr>\n";
  }
  if (rows.empty())
    return fmt::format("<p class=\"left\">No unit lost more than {:g} % against its peers.</p>",
                       kLeastDrift);
  std::string html =
      R"(<div class="scroll tall" tabindex="0" role="region" aria-label="What drifted"><table><thead><tr>)"
      R"(<th scope="col">Unit</th><th scope="col" class="n">Change</th><th scope="col" class="n">Against its peers, points</th>)";
  for (const FleetReport* fleet : history.fleets)
    html += fmt::format(R"(<th scope="col" class="n">{}</th>)", escape(day_of(*fleet)));
  return html + "</tr></thead><tbody>\n" + rows + "</tbody></table></div>";
}

std::string history_part(const FleetHistory& history) {
  if (history.fleets.size() < 2) return {};
  std::string html = "<h3>What drifted over the acceptances</h3>";
  const RunSpec& last = history.fleets.back()->spec;
  for (const FleetReport* fleet : history.fleets)
    if (fleet->spec.order != last.order || fleet->spec.block_size != last.block_size) {
      html += fmt::format(
          R"(<p class="remark">N and NB differ (N = {}, NB = {} on {}; N = {}, NB = {} last): changes against peers count, changes of all do not.</p>)",
          fleet->spec.order, fleet->spec.block_size, escape(day_of(*fleet)), last.order,
          last.block_size);
      break;
    }
  html += R"(<div class="charts">)";
  for (const FleetKind& kind : history.fleets.back()->kinds)
    html += history_chart(history, kind.kind);
  html += "</div>" + drift_table(history);
  if (!history.gone.empty())
    html +=
        fmt::format(R"(<p class="left">No longer there: {}.</p>)", escape(joined(history.gone)));
  if (!history.added.empty())
    html += fmt::format(R"(<p class="left">New: {}.</p>)", escape(joined(history.added)));
  return html;
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
      "<section class=\"fleet\"><h2>Fleet</h2><p class=\"variant\">Each {} for itself, N = {}, NB "
      "= {}, from {}.</p>",
      name_of(kFleetUnitKinds, fleet.each), fleet.spec.order, fleet.spec.block_size,
      escape(day_of(fleet)));
  for (const std::string& remark : fleet.remarks)
    html += fmt::format(R"(<p class="remark">{}</p>)", escape(remark));
  html += R"(<div class="scroll"><table class="pairs"><tbody>)" +
          list_row("Passed", fleet.pass_list) + list_row("To exclude", fleet.fail_list) +
          "</tbody></table></div>";
  html += map_part(fleet) + worst_part(fleet) + history_part(history);
  html += R"(<h3>Distribution</h3><div class="charts">)";
  for (const FleetKind& kind : fleet.kinds)
    html += distribution(fleet, kind);
  return html + "</div>" + figure_table(fleet) + difference_part(fleet) + "</section>\n";
}

}  // namespace hpl::page
