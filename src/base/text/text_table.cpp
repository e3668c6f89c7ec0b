#include "hpl/base/text/text_table.h"

#include <algorithm>

#include <fmt/format.h>

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

}  // namespace hpl
