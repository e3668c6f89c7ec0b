#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/text/host_list.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_table.h"
#include "hpl/base/text/text_value.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/compare/compare.h"
#include "hpl/fleet/judge/fleet_report.h"
#include "hpl/run/report/head_text.h"

namespace hpl {
namespace {

constexpr std::size_t kLinesShown = 40;
/// Times of a history that have a column.
constexpr std::size_t kColumnsShown = 7;

/// "A" and "B" of two sides, numbers of more.
std::string letter(const Comparison& comparison, int side) {
  return comparison.sides.size() == 2 ? std::string(1, static_cast<char>('A' + side))
                                      : std::to_string(side + 1);
}

const FigureChange* change_of(const ComparedPoint& point, Figure figure) {
  const auto found = std::ranges::find(point.changes, figure, &FigureChange::figure);
  return found == point.changes.end() ? nullptr : &*found;
}

std::string side_lines(const Comparison& comparison) {
  TextTable table;
  for (std::size_t i = 0; i < comparison.sides.size(); ++i) {
    const ComparedSide& side = comparison.sides[i];
    const std::string date = iso_time(side.started);
    const std::string time = date.empty() ? "" : date.substr(0, 10) + " " + date.substr(11, 5);
    table.add({letter(comparison, static_cast<int>(i)), one_line(side.name),
               side.name == time ? "" : time,
               fmt::format("{} on {}, version {}", count_text(side.members, "member"),
                           count_text(side.hosts, "host"), one_line(side.program.version))});
  }
  return table.text();
}

std::string hosts_of(const Comparison& comparison, const ChangedFact& change) {
  if (change.hosts.empty() || change.to == change.hosts.front()) return "";
  const auto all = comparison.sides[static_cast<std::size_t>(change.side)].hosts;
  return std::ssize(change.hosts) == all && all > 1 ? fmt::format("all {} hosts", all)
                                                    : host_list(change.hosts);
}

/// The first lines, and the number of those left out.
std::string cut(const std::vector<std::string>& lines, Detail detail) {
  const std::size_t shown =
      detail == Detail::Everything ? lines.size() : std::min(lines.size(), kLinesShown);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("  {}\n", lines[i]);
  if (shown < lines.size())
    text += fmt::format("  and {} more (-v shows them)\n", lines.size() - shown);
  return text;
}

std::string change_lines(const Comparison& comparison, Detail detail) {
  if (comparison.changes.empty())
    return "\nNo change of settings, software or hardware is known.\n";
  std::string text;
  for (const auto& subject : kFactSubjects) {
    std::vector<std::string> lines;
    for (const ChangedFact& change : comparison.changes) {
      if (change.subject != subject.value) continue;
      const std::string hosts = hosts_of(comparison, change);
      lines.push_back(
          fmt::format("{}{}: {} -> {}{}",
                      comparison.sides.size() > 2 ? letter(comparison, change.side) + "  " : "",
                      one_line(change.fact), one_line(change.from), one_line(change.to),
                      hosts.empty() ? "" : fmt::format("  ({})", one_line(hosts))));
    }
    if (!lines.empty()) text += fmt::format("\nChanged {}\n{}", subject.name, cut(lines, detail));
  }
  return text;
}

/// "node: N = 20000, ..."; "rank and link: pre-flight check"
std::string run_name(const auto& run) {
  if (run.check) return "rank and link: pre-flight check";
  const std::string label = mode_label(run.spec);
  return fmt::format("{}: {}{}", name_of_members(run.each), run_of_members(run.spec),
                     label.empty() ? "" : ", " + label);
}

std::string signed_text(const FigureChange* change) {
  return change == nullptr ? "-" : fmt::format("{:+.2f}", change->change);
}

std::string noise_text(const FigureChange* change) {
  return change == nullptr ? "-" : fmt::format("{:.2f}", change->noise);
}

std::string verdict_text(const FigureChange* change) {
  return change == nullptr ? "" : std::string(name_of(kChangeVerdicts, change->verdict));
}

/// Figures of all members of a kind, a line each.
std::string kind_lines(const ComparedMember& kind) {
  if (kind.points.size() < 2) return "";
  const ComparedPoint &first = kind.points.front(), &last = kind.points.back();
  TextTable table;
  const std::string of = first.members == last.members
                             ? count_text(first.members, "member")
                             : fmt::format("{} and {} members", first.members, last.members);
  table.add({fmt::format("{}, {}", one_line(last.kind), of), "A", "B", "change", "noise", ""});
  for (const FigureChange& change : last.changes) {
    const FigureScale in = scale_of(change.figure, change.from);
    table.add({"  " + label_in(change.figure, in.unit), significant(change.from / in.scale, 4),
               significant(change.to / in.scale, 4),
               fmt::format("{:+.2f} {}", change.change, change_unit(change.figure)),
               fmt::format("{:.2f}", change.noise), verdict_text(&change)});
  }
  return "\n" + table.text(1, 4);
}

/// The name, and that of the first side if it was another.
std::string member_name(const ComparedMember& member) {
  const std::string &now = member.points.back().name, &before = member.points.front().name;
  return one_line(now == before ? now : fmt::format("{} (was {})", now, before));
}

double fastest(const ComparedRun& run) {
  double most = 0;
  for (const ComparedMember& member : run.members)
    for (const ComparedPoint& point : member.points)
      most = std::max(most, point.figures[Figure::Gflops].value_or(0));
  return most;
}

std::string value_text(const ComparedPoint& point, Figure figure, const FigureScale& in) {
  const auto& value = point.figures[figure];
  return value ? significant(*value / in.scale, 4) : "-";
}

/// The rates of members that both sides have.
std::string member_table(const ComparedRun& run, Detail detail) {
  constexpr Figure kRate = Figure::Gflops;
  const FigureScale in = scale_of(kRate, fastest(run));
  TextTable table;
  table.add({"member", fmt::format("A {}", in.unit), fmt::format("B {}", in.unit), "change %",
             "noise %", ""});
  std::size_t left_out = 0;
  for (const ComparedMember& member : run.members) {
    if (member.points.size() < 2) continue;
    const ComparedPoint &first = member.points.front(), &last = member.points.back();
    const FigureChange* const rate = change_of(last, kRate);
    const bool quiet = rate != nullptr && rate->verdict == ChangeVerdict::Noise && !last.wrong;
    if (quiet && run.members.size() > kLinesShown && detail != Detail::Everything) {
      ++left_out;
      continue;
    }
    table.add({member_name(member), value_text(first, kRate, in), value_text(last, kRate, in),
               signed_text(rate), noise_text(rate), last.wrong ? "WRONG" : verdict_text(rate)});
  }
  std::string text = table.rows() > 1 ? "\n" + table.text(1, 4) : "";
  if (left_out > 0)
    text += fmt::format("and {} within their noise\n", count_text(left_out, "member"));
  return text;
}

/// Figures beside the rate that changed beyond their noise; those without a bad side in detail.
std::string beyond_noise(const ComparedRun& run, Detail detail) {
  std::vector<std::string> lines;
  for (const ComparedMember& member : run.members)
    for (const FigureChange& change : member.points.back().changes) {
      const bool has_side =
          change.verdict == ChangeVerdict::Better || change.verdict == ChangeVerdict::Worse;
      const bool shown =
          has_side || (change.verdict == ChangeVerdict::Changed && detail == Detail::Everything);
      if (change.figure == Figure::Gflops || !shown) continue;
      const FigureInfo& about = info(change.figure);
      lines.push_back(fmt::format("{}: {} {} -> {}{}{}, {:+.1f} {} (noise {:.1f}): {}",
                                  member_name(member), about.label, significant(change.from, 4),
                                  significant(change.to, 4), about.unit.empty() ? "" : " ",
                                  about.unit, change.change, change_unit(change.figure),
                                  change.noise, name_of(kChangeVerdicts, change.verdict)));
    }
  return lines.empty() ? "" : "\nBeyond the noise, beside the rate\n" + cut(lines, detail);
}

/// Values by date. Of a longer history the newest have columns.
std::string history_table(const Comparison& comparison, const ComparedRun& run, Figure figure) {
  const FigureScale in = scale_of(figure, fastest(run));
  const std::size_t count = comparison.sides.size();
  const std::size_t begin = count > kColumnsShown ? count - kColumnsShown : 0;
  std::vector<std::string> head{label_in(figure, in.unit)};
  for (std::size_t i = begin; i < count; ++i)
    head.push_back(letter(comparison, static_cast<int>(i)));
  for (const char* const name : {"change", "noise", ""})
    head.emplace_back(name);
  TextTable table;
  table.add(head);
  const auto add = [&](const ComparedMember& member, std::string name) {
    std::vector<std::string> row(head.size() - 3, "-");
    row[0] = std::move(name);
    for (const ComparedPoint& point : member.points)
      if (const auto side = static_cast<std::size_t>(point.side); side >= begin)
        row[1 + side - begin] = value_text(point, figure, in);
    const FigureChange* const change = change_of(member.points.back(), figure);
    row.push_back(
        change == nullptr ? "-" : fmt::format("{} {}", signed_text(change), change_unit(figure)));
    row.push_back(noise_text(change));
    row.push_back(verdict_text(change));
    table.add(std::move(row));
  };
  for (const ComparedMember& kind : run.kinds)
    add(kind, fmt::format("median of {}", one_line(kind.points.back().kind)));
  for (const ComparedMember& member : run.members)
    add(member, member_name(member));
  return "\n" + table.text(1, head.size() - 2) +
         (begin > 0 ? fmt::format("({} earlier: --csv, --page)\n", count_text(begin, "time")) : "");
}

/// A check without the figure has a table of medians for each of its own.
std::string history_tables(const Comparison& comparison, const ComparedRun& run, Figure figure) {
  const bool of_members = info(figure).owner == Owner::Member;
  if (run.check != of_members) return history_table(comparison, run, figure);
  if (!run.check) return "";
  std::string text;
  for (const FigureInfo& about : kCheckFigures) {
    ComparedRun medians{.check = true};
    std::ranges::copy_if(run.kinds, std::back_inserter(medians.kinds),
                         [&](const ComparedMember& kind) {
                           return change_of(kind.points.back(), about.value) != nullptr;
                         });
    if (!medians.kinds.empty()) text += history_table(comparison, medians, about.value);
  }
  return text;
}

std::string missing_lines(const Comparison& comparison, const ComparedRun& run) {
  std::string text;
  for (int side = 0; side < std::ssize(comparison.sides); ++side) {
    std::vector<std::string> names;
    for (const ComparedMember& member : run.members)
      if (member.points.size() == 1 && member.points.front().side == side &&
          !member.points.front().link)
        names.push_back(one_line(member.points.front().name));
    if (!names.empty())
      text += fmt::format("Only in {}: {}\n", letter(comparison, side), fmt::join(names, ", "));
  }
  return text.empty() ? "" : "\n" + text;
}

std::string uncompared_lines(const Comparison& comparison, Detail detail) {
  std::vector<std::string> lines;
  for (const UncomparedRun& run : comparison.uncompared)
    lines.push_back(
        fmt::format("{}  {}{}{}", letter(comparison, run.side), run_name(run),
                    run.gflops ? "; " + rate_text(*run.gflops, 4) : "",
                    run.difference.empty() ? "" : fmt::format(" ({})", run.difference)));
  return lines.empty() ? "" : "\nNot compared: other runs\n" + cut(lines, detail);
}

}  // namespace

std::string comparison_tally(const Comparison& comparison) {
  using Counts = std::array<int, kChangeVerdicts.size()>;
  Counts rates{}, checked{};
  for (const ComparedRun& run : comparison.runs)
    for (const ComparedMember& member : run.members)
      for (const FigureChange& change : member.points.back().changes)
        if (run.check || change.figure == Figure::Gflops)
          ++(run.check ? checked : rates)[static_cast<std::size_t>(change.verdict)];
  const auto text = [](const Counts& counts, const std::string& of) {
    const auto count = [&](ChangeVerdict verdict) {
      return counts[static_cast<std::size_t>(verdict)];
    };
    const int others = count(ChangeVerdict::Changed);
    return fmt::format("{}: {} worse, {} better, {} within the noise{}", of,
                       count(ChangeVerdict::Worse), count(ChangeVerdict::Better),
                       count(ChangeVerdict::Noise),
                       others > 0 ? fmt::format(", {} without a verdict", others) : "");
  };
  const auto all = [](const Counts& counts) {
    return std::accumulate(counts.begin(), counts.end(), 0);
  };
  if (all(rates) == 0 && all(checked) == 0) return "No rate is comparable.";
  std::string tally;
  if (all(rates) > 0) tally = text(rates, "Rates of " + count_text(all(rates), "member"));
  if (all(checked) > 0)
    tally += (tally.empty() ? "" : "\n") +
             text(checked, fmt::format("Figures of checks, {} in all", all(checked)));
  return tally;
}

namespace {

std::string gate_lines(const Comparison& comparison) {
  if (!comparison.fail_below) return {};
  const std::string gate = fmt::format("--fail-below {:g} %:", *comparison.fail_below);
  if (comparison.slow.empty() && !comparison.undecided) return gate + " held\n";
  std::string text;
  if (!comparison.slow.empty())
    text += fmt::format("{} missed by {}\n", gate, fmt::join(comparison.slow, ", "));
  if (comparison.undecided)
    text += fmt::format("{}{} {}\n", comparison.strict ? "" : "# remark: ", gate,
                        *comparison.undecided);
  return text;
}

std::string verdict_lines(const Comparison& comparison) {
  std::string text = "\n" + comparison_tally(comparison) + "\n";
  const std::string last = letter(comparison, static_cast<int>(comparison.sides.size()) - 1);
  for (const Shortfall& shortfall : kShortfalls) {
    const std::vector<std::string>& list = comparison.*shortfall.list;
    if (list.empty()) continue;
    text += fmt::format("{}: {} in {}{}: FAILED\n", one_line(fmt::to_string(fmt::join(list, ", "))),
                        shortfall.word, last, shortfall.is_new ? ", and not before" : "");
  }
  return text + gate_lines(comparison);
}

/// All but the verdict.
std::string body(const Comparison& comparison, Figure figure, Detail detail) {
  const bool two = comparison.sides.size() == 2 && figure == Figure::Gflops;
  std::string text = side_lines(comparison) + change_lines(comparison, detail);
  for (const ComparedRun& run : comparison.runs) {
    text += fmt::format("\nEach {}\n", run_name(run));
    if (two)
      for (const ComparedMember& kind : run.kinds)
        text += kind_lines(kind);
    text += two ? (run.check ? "" : member_table(run, detail)) + beyond_noise(run, detail)
                : history_tables(comparison, run, figure);
    text += missing_lines(comparison, run);
  }
  text += uncompared_lines(comparison, detail);
  if (!comparison.remarks.empty()) text += "\n";
  return text + remark_lines(comparison.remarks);
}

}  // namespace

std::string fleet_changes(const FleetReport& before, const FleetReport& now, Detail detail) {
  const std::array<const FleetReport*, 2> fleets{&before, &now};
  const Comparison comparison = compare_fleets(fleets);
  // The report itself judges the later fleet, which may be a part of the earlier one.
  return fmt::format("{}\n{}\n", body(comparison, Figure::Gflops, detail),
                     comparison_tally(comparison));
}

std::string comparison_text(const Comparison& comparison, Figure figure, const TextStyle& style) {
  return StyledText(style)
      .add(Detail::Usual,
           fmt::format("{} {}  --  {}\n\n", comparison.program.name, comparison.program.version,
                       comparison.sides.size() == 2 ? "what changed from A to B" : "history"))
      .add(Detail::Usual, body(comparison, figure, style.detail))
      .add(Detail::Verdict, verdict_lines(comparison))
      .text();
}

}  // namespace hpl
