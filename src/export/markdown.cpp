#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_value.h"
#include "hpl/export/formats.h"
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
struct Column {
  Figure figure{};
  double largest = 0;
  FigureScale in{};
};

/// Figures that some case has, rates in the unit of the largest.
std::vector<Column> columns_of(const std::vector<const Case*>& cases) {
  std::vector<Column> columns;
  for (const Case* const one : cases)
    for (const auto& [figure, value] : one->figures) {
      const auto found = std::ranges::find(columns, figure, &Column::figure);
      if (found == columns.end())
        columns.push_back({figure, value, {1, info(figure).unit}});
      else
        found->largest = std::max(found->largest, value);
    }
  for (Column& column : columns)
    if (is_rate(column.figure)) {
      const RateUnit unit = rate_unit(column.largest);
      column.in = {unit.gflops, unit.name};
    }
  return columns;
}

std::string cell(const Case& one, const Column& column) {
  const auto found = std::ranges::find(one.figures, column.figure, &CaseFigure::figure);
  return found == one.figures.end() ? "" : significant(found->value / column.in.scale);
}

std::string table_of(const std::vector<const Case*>& cases) {
  const std::vector<Column> columns = columns_of(cases);
  std::string head = "| case | verdict |", rule = "|---|---|", rows;
  for (const auto& [figure, largest, in] : columns) {
    head += fmt::format(" {} |", label_in(figure, in.unit));
    rule += "---:|";
  }
  std::size_t left_out = 0;
  for (const Case* const one : cases) {
    if (cases.size() > kCasesShown && one->faults.empty()) {
      ++left_out;
      continue;
    }
    rows += fmt::format("| {} | {} |", plain(one->name),
                        one->verdict == Verdict::Passed
                            ? std::string(to_string(one->verdict))
                            : fmt::format("**{}**", to_string(one->verdict)));
    for (const Column& column : columns)
      rows += fmt::format(" {} |", cell(*one, column));
    rows += fmt::format(" {} |\n", plain(fmt::format("{}", fmt::join(one->faults, "; "))));
  }
  std::string text = head + " findings |\n" + rule + "---|\n" + rows;
  if (left_out > 0) text += fmt::format("\n{} that passed are left out.\n", left_out);
  return text;
}

std::string section_of(const Suite& suite) {
  std::string text = fmt::format("### {}\n\n", plain(verdict_line(suite)));
  const std::string run = run_line(suite);
  text += plain(fmt::format("{}{}{}.", result_line(suite), run.empty() ? "" : ". ", run)) + "\n\n";
  if (const auto cases = shown_cases(suite); !cases.empty()) text += table_of(cases) + "\n";
  return text + plain(origin_line(suite)) + "\n";
}

}  // namespace

std::string markdown_text(std::span<const RunFile> files) {
  std::string text;
  for (const RunFile& file : files)
    text += (text.empty() ? "" : "\n") + section_of(suite_of(file));
  return text;
}

}  // namespace hpl::page
