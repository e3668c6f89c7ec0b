#include "hpl/fleet/report/fleet_text.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include <fmt/format.h>

#include "hpl/base/number/statistics.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_value.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/fleet/report/fleet_actions.h"
#include "hpl/run/report/head_text.h"

namespace hpl {
namespace {

/// Of a larger fleet only the members are listed that have findings.
constexpr std::size_t kMembersShown = 64;
constexpr std::size_t kFindingsShown = 100;
constexpr std::size_t kWorstShown = 40;

std::string cell(const std::optional<double>& value, int digits) {
  return value && std::isfinite(*value) ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string rate_cell(const Figures& figures, const RateUnit& unit) {
  const std::optional<double>& rate = figures[Figure::Gflops];
  return rate && std::isfinite(*rate) ? significant(*rate / unit.gflops, 4) : "-";
}

Cell verdict_cell(Verdict verdict) {
  return {to_string(verdict), verdict == Verdict::Passed      ? "passed"
                              : verdict == Verdict::Warned    ? "warned"
                              : verdict == Verdict::Unchecked ? "unchecked"
                                                              : "failed"};
}

/// As many of a list as the report has room for.
std::size_t shown_of(std::size_t usual, Detail detail) {
  return detail == Detail::Everything ? std::numeric_limits<std::size_t>::max() : usual;
}

std::string member_lines(const FleetReport& report, Detail detail) {
  double fastest = 0;
  for (const FleetMember& member : report.members)
    fastest = std::max(fastest, member.figures[Figure::Gflops].value_or(0));
  const RateUnit unit = rate_unit(fastest);
  Table table{.columns =
                  columns_of(fmt::format("member|>runs|>{}|>slow %|>loss %|>MHz|>C|", unit.name))};
  std::size_t left_out = 0;
  for (const FleetMember& member : report.members) {
    if (report.members.size() > shown_of(kMembersShown, detail) && member.findings.empty()) {
      ++left_out;
      continue;
    }
    const Figures& figures = member.figures;
    table.add({member.name, std::to_string(member.runs.size()), rate_cell(figures, unit),
               cell(figures[Figure::WorstRun], 1), cell(figures[Figure::Drift], 1),
               cell(figures[Figure::Clock], 0), cell(figures[Figure::Temperature], 0),
               member.verdict == Verdict::Failed   ? "FAILED"
               : member.verdict == Verdict::Warned ? "WARNED"
                                                   : to_string(member.verdict)});
  }
  std::string text = text_of(table);
  if (left_out > 0)
    text += fmt::format("and {} without a finding\n", count_text(left_out, "member"));
  return text +
         "(rate: mean of the runs without the fifth that is lowest and highest; slow %: slowest "
         "run "
         "below\n the median; loss %: last third of the runs below the first; MHz: slowest device; "
         "C: hottest device)\n";
}

Table kind_table(const FleetReport& report, const FleetKind& kind) {
  Table table{.title = fmt::format("{}: {}", kind.kind, count_text(kind.members, "member")),
              .columns = columns_of("figure|>least|>median|>most|>robust spread|>limit|worst")};
  const auto number = [](double value) { return fmt::format("{:.2f}", value); };
  for (const FigureStatistics& of : kind.figures) {
    const FigureScale in = scale_of(of.figure, of.median);
    table.add({label_in(of.figure, in.unit), number(of.minimum / in.scale),
               number(of.median / in.scale), number(of.maximum / in.scale),
               number(of.spread / in.scale), of.threshold ? number(*of.threshold / in.scale) : "",
               of.worst_member});
  }
  if (!kind.remark.empty()) table.notes.push_back(kind.remark);
  for (const auto& [of, expected] : report.expectations)
    if (of == kind.kind) {
      const RateUnit unit = rate_unit(expected.gflops);
      table.add({fmt::format("expected by {}, {}", expected.sheet, unit.name),
                 number(expected.least_gflops() / unit.gflops),
                 number(expected.gflops / unit.gflops),
                 number(expected.most_gflops() / unit.gflops), "",
                 number(expected.least_gflops() / unit.gflops), ""});
    }
  return table;
}

/// The readings of a meter; no rows without one.
Table power_table(const FleetReport& report) {
  Table table{.columns = columns_of("power|>average, W|>kJ|>GFLOP/s per W|>against the median, %|"
                                    ">runs, s|>samples|>longest gap, s")};
  if (!report.power) return table;
  const FleetPower& power = *report.power;
  table.title = fmt::format("Power by {}: level {} of the EE HPC WG's methodology", power.source,
                            power.level > 0 ? fmt::format("{} of 3", power.level) : "none");
  std::vector<double> efficiencies;
  for (const FleetMeter& meter : power.meters)
    if (!meter.host.empty() && meter.gflops_per_watt)
      efficiencies.push_back(*meter.gflops_per_watt);
  const double usual = efficiencies.size() < 2 ? 0 : median(efficiencies);
  for (const FleetMeter& meter : power.meters) {
    const auto& efficiency = meter.gflops_per_watt;
    Cell compared("");
    if (usual > 0 && !meter.host.empty() && efficiency) {
      const double change = 100 * (*efficiency / usual - 1);
      compared = fmt::format("{:+.1f}", change);
      compared.shade = shade_of(-change);
    }
    table.add({meter.host.empty() ? "all" : meter.host, cell(meter.watts, 1),
               short_number(meter.joules / 1e3), efficiency ? significant(*efficiency, 4) : "",
               compared, cell(meter.core_seconds, 1), std::to_string(meter.samples),
               cell(meter.longest_gap, 1)});
  }
  return table;
}

/// How far the rate of a member is below the median of its kind, percent.
double below_median(const FleetReport& report, const FleetMember& member) {
  const std::optional<double>& rate = member.figures[Figure::Gflops];
  for (const FleetKind& kind : report.kinds)
    if (kind.kind == member.kind)
      for (const FigureStatistics& of : kind.figures)
        if (of.figure == Figure::Gflops && rate && of.median > 0)
          return 100 * (1 - *rate / of.median);
  return 0;
}

/// The findings of some severities, a line each.
std::string finding_lines(const FleetReport& report, std::initializer_list<Severity> wanted,
                          Detail detail) {
  const std::size_t shown = shown_of(kFindingsShown, detail);
  std::string text;
  std::size_t count = 0;
  const auto add = [&](const std::string& name, const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      // A member's findings stand there.
      if (std::ranges::find(wanted, finding.severity) == wanted.end() ||
          (finding.basis == Basis::Member && report.each != FleetMemberKind::Pair))
        continue;
      if (++count > shown) continue;
      text += fmt::format("  {}: {}\n", one_line(name), one_line(finding.text));
    }
  };
  for (const FleetMember& member : report.members)
    add(member.name, member.findings);
  for (const FleetHost& host : report.hosts)
    add(host.name, host.findings);
  if (count > shown) text += fmt::format("  and {} more\n", count - shown);
  return text;
}

std::string host_line(std::size_t count, const FleetReport& report, std::string_view verdict,
                      const std::string& list) {
  return fmt::format("{} of {} {}{}{}\n", count, count_text(report.hosts.size(), "host"), verdict,
                     list.empty() ? "" : ": ", list);
}

std::string host_lines(const FleetReport& report) {
  const auto count = [&](Verdict verdict) {
    return static_cast<std::size_t>(std::ranges::count(report.hosts, verdict, &FleetHost::verdict));
  };
  std::vector<std::string> unchecked;
  for (const FleetHost& host : report.hosts)
    if (host.verdict == Verdict::Unchecked) unchecked.push_back(host.name);
  const std::size_t passed = count(Verdict::Passed), warned = count(Verdict::Warned);
  std::string text = host_line(passed, report, "passed", report.pass_list);
  if (warned > 0) text += host_line(warned, report, to_string(Verdict::Warned), report.warn_list);
  text += host_line(report.hosts.size() - passed - warned - unchecked.size(), report, "failed",
                    report.fail_list);
  if (!unchecked.empty())
    text +=
        host_line(unchecked.size(), report, to_string(Verdict::Unchecked), host_list(unchecked));
  return text;
}

std::string section(std::string_view title, const std::string& lines) {
  return lines.empty() ? "" : fmt::format("\n{}\n{}", title, lines);
}

std::string section(std::string_view title, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += fmt::format("  {}\n", one_line(line));
  return section(title, text);
}

}  // namespace

std::vector<Table> tables_of(const FleetReport& report) {
  std::vector<Table> tables;
  for (const FleetKind& kind : report.kinds)
    tables.push_back(kind_table(report, kind));
  if (Table power = power_table(report); !power.rows.empty()) tables.push_back(std::move(power));
  return tables;
}

Table worst_table(const FleetReport& report) {
  struct Entry {
    double below;
    TableRow row;
  };
  std::vector<Entry> entries;
  const auto add = [&](const auto& one, double below, const std::string& serials) {
    // The findings of a member of the host stand there.
    std::vector<std::string> reasons;
    for (const Finding& finding : one.findings)
      if (finding.basis != Basis::Member) reasons.push_back(finding.text);
    if (reasons.empty()) return;
    const bool bad = std::ranges::any_of(one.findings, fails_by, &Finding::severity);
    entries.push_back({below,
                       {{one.name, verdict_cell(one.verdict),
                         fmt::format("{}", fmt::join(reasons, "; ")), serials},
                        bad}});
  };
  for (const FleetMember& member : report.members) {
    std::vector<std::string> serials;
    for (const JobDevice& device : member.devices)
      serials.push_back(device.identity.serial);
    add(member, below_median(report, member),
        fmt::format("{}", fmt::join(distinct(serials), ", ")));
  }
  for (const FleetHost& host : report.hosts)
    add(host, 0, "");
  std::ranges::stable_sort(entries, [](const Entry& one, const Entry& other) {
    return one.row.bad != other.row.bad ? one.row.bad : one.below > other.below;
  });
  Table table{.title = "The worst, with their reasons",
              .columns = columns_of("member or host|verdict|reason|serial number")};
  for (const Entry& entry : entries)
    if (table.rows.size() < kWorstShown) table.rows.push_back(entry.row);
  if (entries.size() > kWorstShown)
    table.notes.push_back(fmt::format("{} of {} are shown.", kWorstShown, entries.size()));
  return table;
}

std::vector<std::string> difference_lines(const FleetReport& report) {
  std::vector<std::string> lines;
  for (const FleetDifference& difference : report.differences)
    for (const auto& [value, hosts] : difference.others)
      lines.push_back(fmt::format("{} {} on {}, {} on {} other {}", difference.fact, value,
                                  host_list(hosts), difference.majority, difference.count,
                                  difference.count == 1 ? "host" : "hosts"));
  return lines;
}

std::string fleet_head(const FleetReport& report, const TextStyle& style) {
  const std::string head =
      fmt::format("{} {}  --  a fleet: every {} solves a system of its own\n\n",
                  one_line(report.header.program.name), one_line(report.header.program.version),
                  report.each == FleetMemberKind::Pair ? "pair of neighbouring nodes"
                                                       : name_of(kFleetMemberKinds, report.each));
  const RunSpec& spec = report.spec;
  std::string run = fmt::format("{} on {}, {}\n", count_text(report.members.size(), "member"),
                                count_text(report.hosts.size(), "host"), run_of_members(spec));
  if (const std::string label = mode_label(spec); !label.empty())
    run += fmt::format("arithmetic: {}\n", label);
  return StyledText(style)
      .add(Detail::Usual, head)
      .add(Detail::Usual, environment_lines(report.header, style.detail))
      .add(Detail::Usual, remark_lines(report.header.remarks) + "\n")
      .add(Detail::Verdict, run)
      .add(Detail::Usual, fmt::format("start {}\n", iso_time(report.started)))
      .text();
}

std::string fleet_text(const FleetReport& report, const TextStyle& style,
                       const std::string& changes) {
  const Detail detail = style.detail;
  const auto lines = [&](std::initializer_list<Severity> wanted) {
    return finding_lines(report, wanted, detail);
  };
  std::string fleet;
  for (const Table& table : tables_of(report))
    fleet += fmt::format("{}\n{}", one_line(table.title), text_of(table, "  "));
  std::vector<Remark> disturbances;
  for (const Remark& remark : report.remarks)
    if (remark.about == kDisturbed)
      disturbances.push_back(remark);
    else
      fleet += one_line(remark.text) + "\n";
  const std::string source = report.reference ? one_line(report.reference->source) : "";
  if (report.reference)
    fleet += fmt::format("compared with {} as well, of {}\n", source, report.reference->written);
  return StyledText(style)
      .add(Detail::Usual, fmt::format("end   {}\n\n", iso_time(report.ended)))
      .add(Detail::Usual, member_lines(report, detail))
      .add(Detail::Usual, section("The fleet", fleet))
      .add(Detail::Usual, section(fmt::format("What changed since {}\n", source), changes))
      .add(Detail::Verdict, section("Failed", lines({Severity::Fault, Severity::Slow})))
      .add(Detail::Verdict, section("Warnings", lines({Severity::Warning})))
      .add(Detail::Usual, section("Remarks", lines({Severity::Remark})))
      .add(Detail::Usual, section("Not the same everywhere", difference_lines(report)))
      .add(Detail::Everything, section("To drain failed hosts in Slurm", drain_commands(report)))
      .add(Detail::Everything, section("Evidence for a ticket", device_evidence(report)))
      .add(Detail::Verdict, "\n" + remark_lines(disturbances) + host_lines(report))
      .text();
}

}  // namespace hpl
