#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpl {

struct Column {
  std::string name;
  bool number = false;  ///< its cells stand to the right
};
/// The columns of a head such as "figure|>least|>most": ">" marks numbers.
std::vector<Column> columns_of(std::string_view head);

/// The text of a cell, and how a page marks it.
struct Cell {
  template <std::convertible_to<std::string_view> Text>
  Cell(const Text& of, std::string_view as = {}) : text(of), status(as) {}

  std::string text;
  std::string_view status;  ///< style of a verdict: "passed", "warned", "failed", "unchecked"
  int shade = 0;            ///< how far it is on the wrong side, 0 to 4
};

/// The shade of a cell, by its shortfall in percent.
constexpr int shade_of(double percent) {
  return (percent > 1) + (percent > 2) + (percent > 5) + (percent > 10);
}

struct TableRow {
  std::vector<Cell> cells;  ///< the first names the row
  bool bad = false;
};

/// A part of a document that people read: one table, for text, pages and Markdown.
struct Table {
  std::string title{};  ///< empty: it has none
  std::vector<Column> columns{};
  std::vector<TableRow> rows{};
  std::vector<std::string> notes{};  ///< lines below it

  void add(std::vector<Cell> cells, bool bad = false) { rows.push_back({std::move(cells), bad}); }
};

/// Lines of cells in columns that are as wide as their longest cell, then the notes; none ends with
/// a blank, and each begins with `before`. The title is left to the text around it. A head without
/// any name is left out.
std::string text_of(const Table& table, std::string_view before = {});

}  // namespace hpl
