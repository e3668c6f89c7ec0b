#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <vector>

#include "hpl/base/record/record.h"

namespace hpl {

/// A quantity that was measured on a grid of sizes: the rate of a product over (m, n, k), the time
/// of a message over its bytes. All sizes and values are positive.
class RateTable {
 public:
  RateTable() = default;
  /// `axes`: one to three lists of sizes, ascending. `values`: for each combination, the last axis
  /// varies fastest.
  RateTable(std::vector<std::vector<double>> axes, std::vector<double> values);
  /// The same value for every size.
  static RateTable constant(std::size_t axes, double value);

  bool empty() const { return values_.empty(); }
  const std::vector<std::vector<double>>& axes() const { return axes_; }
  const std::vector<double>& values() const { return values_; }
  double smallest(std::size_t axis) const { return axes_[axis].front(); }
  double largest(std::size_t axis) const { return axes_[axis].back(); }

  /// Between the points straight lines in logarithms, along each axis; beyond them the value at the
  /// border.
  double at(std::initializer_list<double> sizes) const;

  bool operator==(const RateTable&) const = default;

 private:
  std::vector<std::vector<double>> axes_;
  std::vector<double> values_;
};

/// A table as documents name it.
struct NamedTable {
  std::string_view values;  ///< with their unit: "gflops"
  RateTable* table = nullptr;
  double most = std::numeric_limits<double>::infinity();  ///< that a value may be
};
/// Members of tables over the same sizes: a list for each axis, then the values of each table.
void describe_tables(Record& record, std::initializer_list<std::string_view> axes,
                     std::initializer_list<NamedTable> tables);

}  // namespace hpl
