#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "comparison_parts.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/table.h"
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

const FigureChange* change_of(const ComparedPoint& point, Figure figure) {
  const auto found = std::ranges::find(point.changes, figure, &FigureChange::figure);
  return found == point.changes.end() ? nullptr : &*found;
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
  if (comparison.changes.empty()) return fmt::format("\n{}\n", kNoChange);
  std::string text;
  for (const auto& subject : kFactSubjects)
    if (const auto lines = changed_lines(comparison, subject.value); !lines.empty())
      text += fmt::format("\nChanged {}\n{}", subject.name, cut(lines, detail));
  return text;
}

std::string signed_text(const FigureChange* change) {
  return change == nullptr ? "-" : fmt::format("{:+.2f}", change->change);
}

std::string noise_text(const FigureChange* change) {
  return change == nullptr ? "-" : fmt::format("{:.2f}", change->noise);
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
  Table table{.columns =
                  columns_of(fmt::format("member|>A {0}|>B {0}|>change %|>noise %|", in.unit))};
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
               signed_text(rate), noise_text(rate), last.wrong ? "WRONG" : verdict_cell(rate)});
  }
  std::string text = table.rows.empty() ? "" : "\n" + text_of(table);
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
  Table table{.columns = {{label_in(figure, in.unit)}}};
  for (std::size_t i = begin; i < count; ++i)
    table.columns.push_back({letter(comparison, static_cast<int>(i)), true});
  const std::size_t values = table.columns.size();
  std::ranges::move(columns_of(">change|>noise|"), std::back_inserter(table.columns));
  const auto add = [&](const ComparedMember& member, const std::string& name) {
    std::vector<Cell> row(values, "-");
    row[0] = name;
    for (const ComparedPoint& point : member.points)
      if (const auto side = static_cast<std::size_t>(point.side); side >= begin)
        row[1 + side - begin] = value_text(point, figure, in);
    const FigureChange* const change = change_of(member.points.back(), figure);
    row.emplace_back(
        change == nullptr ? "-" : fmt::format("{} {}", signed_text(change), change_unit(figure)));
    row.emplace_back(noise_text(change));
    row.push_back(verdict_cell(change));
    table.add(std::move(row));
  };
  for (const ComparedMember& kind : run.kinds)
    add(kind, fmt::format("median of {}", one_line(kind.points.back().kind)));
  for (const ComparedMember& member : run.members)
    add(member, member_name(member));
  return "\n" + text_of(table) +
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
  std::string text = text_of(side_table(comparison)) + change_lines(comparison, detail);
  for (const ComparedRun& run : comparison.runs) {
    text += fmt::format("\nEach {}\n", run_name(run));
    if (two)
      for (const ComparedMember& kind : run.kinds)
        if (kind.points.size() > 1) text += "\n" + text_of(kind_table(comparison, kind));
    text += two ? (run.check ? "" : member_table(run, detail)) + beyond_noise(run, detail)
                : history_tables(comparison, run, figure);
    const std::vector<std::string> missing = missing_lines(comparison, run);
    if (!missing.empty()) text += fmt::format("\n{}\n", fmt::join(missing, "\n"));
  }
  if (const auto lines = uncompared_lines(comparison); !lines.empty())
    text += "\nNot compared: other runs\n" + cut(lines, detail);
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
