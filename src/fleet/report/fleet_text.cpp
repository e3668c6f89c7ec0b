#include "hpl/fleet/report/fleet_text.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include <fmt/format.h>

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

std::string cell(const std::optional<double>& value, int digits) {
  return value && std::isfinite(*value) ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string rate_cell(const Figures& figures, const RateUnit& unit) {
  const std::optional<double>& rate = figures[Figure::Gflops];
  return rate && std::isfinite(*rate) ? significant(*rate / unit.gflops, 4) : "-";
}

/// As many of a list as the report has room for.
std::size_t shown_of(std::size_t usual, Detail detail) {
  return detail == Detail::Everything ? std::numeric_limits<std::size_t>::max() : usual;
}

std::string member_table(const FleetReport& report, Detail detail) {
  std::size_t width = std::string_view("member").size();
  for (const FleetMember& member : report.members)
    width = std::max(width, member.name.size());
  const auto row = [&](const auto&... cells) {
    return fmt::format("{:<{}}  {:>6} {:>11} {:>8} {:>8} {:>8} {:>6}  {}\n", cells...);
  };
  double fastest = 0;
  for (const FleetMember& member : report.members)
    fastest = std::max(fastest, member.figures[Figure::Gflops].value_or(0));
  const RateUnit unit = rate_unit(fastest);
  std::string text = row("member", width, "runs", unit.name, "slow %", "loss %", "MHz", "C", "");
  std::size_t left_out = 0;
  for (const FleetMember& member : report.members) {
    if (report.members.size() > shown_of(kMembersShown, detail) && member.findings.empty()) {
      ++left_out;
      continue;
    }
    const Figures& figures = member.figures;
    text += row(one_line(member.name), width, member.runs.size(), rate_cell(figures, unit),
                cell(figures[Figure::WorstRun], 1), cell(figures[Figure::Drift], 1),
                cell(figures[Figure::Clock], 0), cell(figures[Figure::Temperature], 0),
                member.verdict == Verdict::Failed   ? "FAILED"
                : member.verdict == Verdict::Warned ? "WARNED"
                                                    : to_string(member.verdict));
  }
  if (left_out > 0)
    text += fmt::format("and {} without a finding\n", count_text(left_out, "member"));
  return text +
         "(rate: mean of the runs without the fifth that is lowest and highest; slow %: slowest "
         "run "
         "below\n the median; loss %: last third of the runs below the first; MHz: slowest device; "
         "C: hottest device)\n";
}

std::string kind_text(const FleetReport& report) {
  std::string text;
  for (const FleetKind& kind : report.kinds) {
    text += fmt::format("{}: {}\n", one_line(kind.kind), count_text(kind.members, "member"));
    for (const FigureStatistics& of : kind.figures) {
      const FigureInfo& about = info(of.figure);
      const FigureScale in = scale_of(of.figure, of.median);
      text += fmt::format("  {:<30} {:>11.2f} to {:>11.2f}, median {:>11.2f}, robust spread {:.2f}",
                          about.label, of.minimum / in.scale, of.maximum / in.scale,
                          of.median / in.scale, of.spread / in.scale);
      if (!in.unit.empty()) text += fmt::format(" {}", in.unit);
      if (of.threshold) text += fmt::format(", limit {:.2f}", *of.threshold / in.scale);
      text += "\n";
    }
    if (!kind.remark.empty()) text += fmt::format("  {}\n", kind.remark);
  }
  return text;
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

std::string difference_text(const FleetReport& report) {
  std::string text;
  for (const FleetDifference& difference : report.differences)
    for (const auto& [value, hosts] : difference.others)
      text += fmt::format("  {} {} on {}, {} on {} other {}\n", one_line(difference.fact),
                          one_line(value), host_list(hosts), one_line(difference.majority),
                          difference.count, difference.count == 1 ? "host" : "hosts");
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

}  // namespace

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
  std::string fleet = kind_text(report);
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
      .add(Detail::Usual, member_table(report, detail))
      .add(Detail::Usual, section("The fleet", fleet))
      .add(Detail::Usual, section(fmt::format("What changed since {}\n", source), changes))
      .add(Detail::Verdict, section("Failed", lines({Severity::Fault, Severity::Slow})))
      .add(Detail::Verdict, section("Warnings", lines({Severity::Warning})))
      .add(Detail::Usual, section("Remarks", lines({Severity::Remark})))
      .add(Detail::Usual, section("Not the same everywhere", difference_text(report)))
      .add(Detail::Everything, section("To drain failed hosts in Slurm", drain_commands(report)))
      .add(Detail::Everything, section("Evidence for a ticket", device_evidence(report)))
      .add(Detail::Verdict, "\n" + remark_lines(disturbances) + host_lines(report))
      .text();
}

}  // namespace hpl
