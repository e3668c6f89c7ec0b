#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/text/zoned_time.h"
#include "hpl/compare/compare.h"
#include "hpl/report/csv/csv_file.h"

namespace hpl {
namespace {

/// The figure, its change against the first side, and the noise of that.
void add_columns(CsvRow& row, const ComparedPoint& point, const FigureInfo& about) {
  const auto change = std::ranges::find(point.changes, about.value, &FigureChange::figure);
  const auto number = [&](double FigureChange::*of) {
    return csv_number(change == point.changes.end() ? std::nullopt : std::optional((*change).*of));
  };
  row.emplace_back(about.name, csv_number(point.figures[about.value]));
  row.emplace_back(fmt::format("{}_change", about.name), number(&FigureChange::change));
  row.emplace_back(fmt::format("{}_noise", about.name), number(&FigureChange::noise));
}

/// The one list of columns: header and rows are made of it.
CsvRow columns(const ComparedSide& side, const ComparedRun& run, const ComparedPoint& point,
               std::size_t member, bool with_checks) {
  const RunSpec& spec = run.spec;
  CsvRow row{
      {"side", csv_text(side.name)},
      {"started",
       side.started.seconds > 0 ? utc_time(static_cast<std::time_t>(side.started.seconds)) : ""},
      {"each", run.check ? "check" : std::string(name_of_members(run.each))},
      {"variant", variant_code(spec)},
      {"arithmetic", csv_text(arithmetic_text(spec))},
      {"n", std::to_string(spec.order)},
      {"nb", std::to_string(spec.block_size)},
      {"p", std::to_string(spec.grid_rows)},
      {"q", std::to_string(spec.grid_columns)},
      {"number", std::to_string(member)},
      {"member", csv_text(point.name)},
      {"kind", csv_text(point.kind)},
      {"serial", csv_text(fmt::format("{}", fmt::join(point.serials, " ")))},
      {"runs", std::to_string(point.runs)},
      {"wrong", point.wrong ? "1" : "0"},
  };
  for (const FigureInfo& about : kMemberFigures)
    add_columns(row, point, about);
  if (with_checks)
    for (const FigureInfo& about : kCheckFigures)
      add_columns(row, point, about);
  return row;
}

}  // namespace

std::string comparison_csv(const Comparison& comparison) {
  // Columns of ranks and links come last, where there is a check.
  const bool with_checks = std::ranges::any_of(comparison.runs, &ComparedRun::check);
  std::string text = csv_names(columns({}, {}, {}, 0, with_checks));
  for (const ComparedRun& run : comparison.runs)
    for (std::size_t i = 0; i < run.members.size(); ++i)
      for (const ComparedPoint& point : run.members[i].points)
        text += csv_line(columns(comparison.sides[static_cast<std::size_t>(point.side)], run, point,
                                 i + 1, with_checks));
  return text;
}

}  // namespace hpl
