#pragma once

#include <cstddef>
#include <string>
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

}  // namespace hpl
