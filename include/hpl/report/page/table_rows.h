#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace hpl::page {

/// Names in the order of their first use, with every value they take.
using Table = std::vector<std::pair<std::string, std::vector<std::string>>>;

inline std::vector<std::string>& row_of(Table& table, const std::string& name) {
  const auto row = std::ranges::find(table, name, &Table::value_type::first);
  return row != table.end() ? row->second
                            : table.emplace_back(name, std::vector<std::string>()).second;
}

inline void add_distinct(std::vector<std::string>& values, const std::string& value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

}  // namespace hpl::page
