#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/text/quantity.h"
#include "hpl/base/text/table.h"
#include "hpl/base/text/text_value.h"
#include "hpl/export/formats.h"
#include "hpl/page/page.h"
#include "hpl/page/verdict.h"
#include "summary.h"

namespace hpl::page {
namespace {

/// Of a larger document the table has only the cases that did not pass.
constexpr std::size_t kCasesShown = 64;

/// Text that Markdown shows as it is, in one line.
std::string plain(std::string_view text) {
  constexpr std::string_view kSpecial = "\\`*_{}[]<>#|~&$@";
  std::string out;
  for (const char c : one_line(text)) {
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// A column of values of a figure.
struct FigureColumn {
  Figure figure{};
  double largest = 0;
  FigureScale in{};
};

/// Figures that some case has, rates in the unit of the largest.
std::vector<FigureColumn> figures_of(const std::vector<const Case*>& cases) {
  std::vector<FigureColumn> columns;
  for (const Case* const one : cases)
    for (const auto& [figure, value] : one->figures) {
      const auto found = std::ranges::find(columns, figure, &FigureColumn::figure);
      if (found == columns.end())
        columns.push_back({figure, value, {1, info(figure).unit}});
      else
        found->largest = std::max(found->largest, value);
    }
  for (FigureColumn& column : columns)
    if (is_rate(column.figure)) {
      const RateUnit unit = rate_unit(column.largest);
      column.in = {unit.gflops, unit.name};
    }
  return columns;
}

std::string cell(const Case& one, const FigureColumn& column) {
  const auto found = std::ranges::find(one.figures, column.figure, &CaseFigure::figure);
  return found == one.figures.end() ? "" : significant(found->value / column.in.scale);
}

Table case_table(const std::vector<const Case*>& cases) {
  const std::vector<FigureColumn> columns = figures_of(cases);
  Table table{.columns = columns_of("case|verdict")};
  for (const auto& [figure, largest, in] : columns)
    table.columns.push_back({label_in(figure, in.unit), true});
  table.columns.push_back({"findings"});
  std::size_t left_out = 0;
  for (const Case* const one : cases) {
    if (cases.size() > kCasesShown && one->faults.empty()) {
      ++left_out;
      continue;
    }
    std::vector<Cell> row{one->name,
                          Cell(to_string(one->verdict),
                               one->verdict == Verdict::Passed ? "" : look_of(one->verdict).style)};
    for (const FigureColumn& column : columns)
      row.emplace_back(cell(*one, column));
    row.emplace_back(fmt::format("{}", fmt::join(one->faults, "; ")));
    table.add(std::move(row));
  }
  if (left_out > 0) table.notes.push_back(fmt::format("{} that passed are left out.", left_out));
  return table;
}

/// Cells with a status stand out.
std::string markdown_of(const Table& table) {
  if (table.rows.empty()) return {};
  std::string head = "|", rule = "|", rows;
  for (const Column& column : table.columns) {
    head += fmt::format(" {} |", plain(column.name));
    rule += column.number ? "---:|" : "---|";
  }
  for (const TableRow& row : table.rows) {
    rows += "|";
    for (const Cell& cell : row.cells) {
      const std::string_view mark = cell.status.empty() ? "" : "**";
      rows += fmt::format(" {0}{1}{0} |", mark, plain(cell.text));
    }
    rows += "\n";
  }
  std::string text = head + "\n" + rule + "\n" + rows;
  for (const std::string& note : table.notes)
    text += fmt::format("\n{}\n", plain(note));
  return text;
}

std::string section_of(const RunFile& file) {
  const Suite suite = suite_of(file);
  std::string text = fmt::format("### {}\n\n", plain(verdict_line(suite)));
  const std::string run = run_line(suite);
  text += plain(fmt::format("{}{}{}.", result_line(suite), run.empty() ? "" : ". ", run)) + "\n\n";
  if (const auto cases = shown_cases(suite); !cases.empty())
    text += markdown_of(case_table(cases)) + "\n";
  for (const Table& table : tables_of(file))
    text += fmt::format("#### {}\n\n{}\n", plain(table.title), markdown_of(table));
  return text + plain(origin_line(suite)) + "\n";
}

}  // namespace

std::string markdown_text(std::span<const RunFile> files) {
  std::string text;
  for (const RunFile& file : files)
    text += (text.empty() ? "" : "\n") + section_of(file);
  return text;
}

}  // namespace hpl::page
