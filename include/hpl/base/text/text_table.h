#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpl {

/// Lines of cells in columns that are as wide as their longest cell.
class TextTable {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::size_t rows() const { return rows_.size(); }

  /// Columns from `first` to `last` stand to the right. No line ends with a blank.
  std::string text(std::size_t first = 1, std::size_t last = 0) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Columns of a terminal that nobody has widened.
inline constexpr std::size_t kTextColumns = 80;

/// A line in pieces of at most kTextColumns, broken at blanks; those after the first begin with
/// `indent`. A word longer than a piece stays whole.
std::string folded(std::string_view line, std::string_view indent);

/// `text` with each line that begins with "# " folded, its further pieces behind "#   ".
std::string with_folded_comments(std::string_view text);

}  // namespace hpl
