#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/error/error.h"
#include "hpl/base/result/figure.h"
#include "hpl/base/text/text_value.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/export/formats.h"
#include "hpl/export/suite.h"
#include "hpl/fleet/report/fleet_table.h"
#include "hpl/report/csv/run_table.h"

namespace hpl::page {
namespace {

/// The one list of columns of checks. Those of links came later, and stand at the end.
CsvRow columns(const ProgramInfo& program, const Case& rank) {
  CsvRow row{
      {"started", utc_time(static_cast<std::time_t>(program.started.seconds))},
      {"version", csv_text(program.version)},
      {"rank", rank.key},
      {"host", csv_text(rank.host)},
      {"device", csv_text(rank.device)},
      {"model", csv_text(rank.model)},
      {"verdict", std::string(to_string(rank.verdict))},
      {"findings", csv_text(fmt::format("{}", fmt::join(rank.faults, "; ")))},
      {"remarks", csv_text(fmt::format("{}", fmt::join(rank.remarks, "; ")))},
  };
  const auto add_figures = [&](bool of_links) {
    for (const FigureInfo& about : kCheckFigures) {
      if ((about.owner == Owner::Link) != of_links) continue;
      const auto found = std::ranges::find(rank.figures, about.value, &CaseFigure::figure);
      row.emplace_back(about.name, found == rank.figures.end() ? "" : csv_number(found->value));
    }
  };
  add_figures(false);
  std::ranges::move(start_columns(program), std::back_inserter(row));
  add_figures(true);
  return row;
}

std::string header_of(Content content) {
  return content == Content::Runs    ? run_table().header
         : content == Content::Fleet ? fleet_table().header
                                     : csv_names(columns({}, {}));
}

std::string rows_of(const RunFile& file) {
  const ProgramInfo& program = file.job.header.program;
  std::string text;
  if (file.content == Content::Check) {
    for (const Case& one : suite_of(file).cases)
      if (one.kind == CaseKind::Rank) text += csv_line(columns(program, one));
  } else if (file.fleet) {
    for (const std::string& row : fleet_rows(*file.fleet))
      text += row;
  } else {
    for (const RunResult& run : file.job.runs)
      if (!lacks_check(run)) text += run_row(run, program);
  }
  return text;
}

}  // namespace

std::string csv_table_text(std::span<const RunFile> files) {
  const Content content = files.front().content;
  for (const RunFile& file : files) {
    if (file.content != Content::Runs && file.content != Content::Fleet &&
        file.content != Content::Check)
      throw ConfigError("{}: --format csv takes documents of runs, fleets or checks, found another",
                        shown_text(file.name));
    if (file.content != content)
      throw ConfigError(
          "{}: --format csv makes one table, of runs, fleets or checks; the files hold several "
          "kinds",
          shown_text(file.name));
  }
  std::string text = header_of(content);
  for (const RunFile& file : files)
    text += rows_of(file);
  return text;
}

}  // namespace hpl::page
