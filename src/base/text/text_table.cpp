#include "hpl/base/text/text_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "hpl/base/text/text_value.h"

namespace hpl {

std::string TextTable::text(std::size_t first, std::size_t last) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i >= first && i <= last
                  ? fmt::format("{}{:>{}}", i > 0 ? "  " : "", row[i], widths[i])
                  : fmt::format("{}{:<{}}", i > 0 ? "  " : "", row[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string folded(std::string_view line, std::string_view indent) {
  std::string text, begin;
  while (begin.size() + line.size() > kTextColumns) {
    const std::size_t room = kTextColumns - begin.size();
    std::size_t end = line.rfind(' ', room);
    // No piece is a mark or blanks alone, and none ends before a word that no piece has room for.
    const std::size_t word = line.find_first_not_of(' ', end);
    const std::size_t after = std::min(line.find(' ', word), line.size());
    if (end == line.npos || end <= line.find_first_not_of("# ") ||
        indent.size() + after - word > kTextColumns)
      end = line.find(' ', room);
    if (end == line.npos) break;
    text.append(begin).append(line.substr(0, line.find_last_not_of(' ', end) + 1)).append("\n");
    line.remove_prefix(std::min(line.find_first_not_of(' ', end), line.size()));
    begin = indent;
  }
  return text.append(begin).append(line);
}

std::string with_folded_comments(std::string_view text) {
  std::string all;
  for (const std::string_view line : split_lines(text))
    all.append(line.starts_with("# ") ? folded(line, "#   ") : std::string(line)).append("\n");
  return all;
}

}  // namespace hpl
