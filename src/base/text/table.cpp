#include "hpl/base/text/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "hpl/base/text/text_value.h"

namespace hpl {

std::vector<Column> columns_of(std::string_view head) {
  std::vector<Column> columns;
  for (std::string_view name : split_fields(head, "|")) {
    const bool number = name.starts_with('>');
    columns.push_back({std::string(name.substr(number ? 1 : 0)), number});
  }
  return columns;
}

std::string text_of(const Table& table, std::string_view before) {
  const std::vector<Column>& columns = table.columns;
  std::vector<std::size_t> widths(columns.size());
  std::vector<std::vector<std::string>> lines;
  const auto add = [&](const auto& cells, auto text_of_cell) {
    std::vector<std::string>& line = lines.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      line.push_back(one_line(text_of_cell(cells[i])));
      widths[i] = std::max(widths[i], line[i].size());
    }
  };
  if (!std::ranges::all_of(columns, &std::string::empty, &Column::name))
    add(columns, [](const Column& column) { return column.name; });
  for (const TableRow& row : table.rows)
    add(row.cells, [](const Cell& cell) { return cell.text; });
  std::string text;
  for (const std::vector<std::string>& cells : lines) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
      line += columns[i].number ? fmt::format("{}{:>{}}", i > 0 ? "  " : "", cells[i], widths[i])
                                : fmt::format("{}{:<{}}", i > 0 ? "  " : "", cells[i], widths[i]);
    text.append(before).append(line.substr(0, line.find_last_not_of(' ') + 1)).append("\n");
  }
  for (const std::string& note : table.notes)
    text += fmt::format("{}  {}\n", before, one_line(note));
  return text;
}

}  // namespace hpl
