#include "comparison_parts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/text/host_list.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_value.h"
#include "hpl/fleet/judge/fleet_report.h"

namespace hpl {
namespace {

std::string hosts_of(const Comparison& comparison, const ChangedFact& change) {
  if (change.hosts.empty() || change.to == change.hosts.front()) return "";
  const auto all = comparison.sides[static_cast<std::size_t>(change.side)].hosts;
  return std::ssize(change.hosts) == all && all > 1 ? fmt::format("all {} hosts", all)
                                                    : host_list(change.hosts);
}

}  // namespace

std::string letter(const Comparison& comparison, int side) {
  return comparison.sides.size() == 2 ? std::string(1, static_cast<char>('A' + side))
                                      : std::to_string(side + 1);
}

Table side_table(const Comparison& comparison) {
  Table table{.title = "What is compared", .columns = columns_of("|||")};
  for (std::size_t i = 0; i < comparison.sides.size(); ++i) {
    const ComparedSide& side = comparison.sides[i];
    const std::string time = minute_text(side.started);
    table.add({letter(comparison, static_cast<int>(i)), side.name, side.name == time ? "" : time,
               fmt::format("{} on {}, version {}", count_text(side.members, "member"),
                           count_text(side.hosts, "host"), side.program.version)});
  }
  return table;
}

namespace {

std::string name_of_run(const auto& run) {
  if (run.check) return "rank and link: pre-flight check";
  const std::string label = mode_label(run.spec);
  return fmt::format("{}: {}{}", name_of_members(run.each), run_of_members(run.spec),
                     label.empty() ? "" : ", " + label);
}

}  // namespace

std::string run_name(const ComparedRun& run) {
  return name_of_run(run);
}

Cell verdict_cell(const FigureChange* change) {
  if (change == nullptr) return "";
  return {name_of(kChangeVerdicts, change->verdict),
          change->verdict == ChangeVerdict::Worse    ? "failed"
          : change->verdict == ChangeVerdict::Better ? "passed"
                                                     : ""};
}

Table kind_table(const Comparison& comparison, const ComparedMember& kind) {
  const ComparedPoint &first = kind.points.front(), &last = kind.points.back();
  const std::string of = first.members == last.members
                             ? count_text(first.members, "member")
                             : fmt::format("{} and {} members", first.members, last.members);
  const std::string name = fmt::format("{}, {}", last.kind, of);
  Table table{.title = name,
              .columns = {{name},
                          {letter(comparison, first.side), true},
                          {letter(comparison, last.side), true},
                          {"change", true},
                          {"noise", true},
                          {}}};
  for (const FigureChange& change : last.changes) {
    const FigureScale in = scale_of(change.figure, change.from);
    Cell shown(fmt::format("{:+.2f} {}", change.change, change_unit(change.figure)));
    if (change.verdict == ChangeVerdict::Worse) shown.shade = shade_of(std::abs(change.change));
    table.add({"  " + label_in(change.figure, in.unit), significant(change.from / in.scale, 4),
               significant(change.to / in.scale, 4), shown, fmt::format("{:.2f}", change.noise),
               verdict_cell(&change)});
  }
  return table;
}

std::vector<std::string> changed_lines(const Comparison& comparison, FactSubject subject) {
  std::vector<std::string> lines;
  for (const ChangedFact& change : comparison.changes) {
    if (change.subject != subject) continue;
    const std::string hosts = hosts_of(comparison, change);
    lines.push_back(
        fmt::format("{}{}: {} -> {}{}",
                    comparison.sides.size() > 2 ? letter(comparison, change.side) + "  " : "",
                    one_line(change.fact), one_line(change.from), one_line(change.to),
                    hosts.empty() ? "" : fmt::format("  ({})", one_line(hosts))));
  }
  return lines;
}

std::vector<std::string> missing_lines(const Comparison& comparison, const ComparedRun& run) {
  std::vector<std::string> lines;
  for (int side = 0; side < std::ssize(comparison.sides); ++side) {
    std::vector<std::string> names;
    for (const ComparedMember& member : run.members)
      if (member.points.size() == 1 && member.points.front().side == side &&
          !member.points.front().link)
        names.push_back(one_line(member.points.front().name));
    if (!names.empty())
      lines.push_back(
          fmt::format("Only in {}: {}", letter(comparison, side), fmt::join(names, ", ")));
  }
  return lines;
}

std::vector<std::string> uncompared_lines(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const UncomparedRun& run : comparison.uncompared)
    lines.push_back(
        fmt::format("{}  {}{}{}", letter(comparison, run.side), name_of_run(run),
                    run.gflops ? "; " + rate_text(*run.gflops, 4) : "",
                    run.difference.empty() ? "" : fmt::format(" ({})", run.difference)));
  return lines;
}

}  // namespace hpl
