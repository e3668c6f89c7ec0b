#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

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

}  // namespace hpl
