#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "hpl/lu/panel/host_panel.h"
#include "hpl/lu/panel/panel_layout.h"
#include "support/reference_lu.h"

namespace hpl::test {

/// The panel of one step in host memory, as one process of a column of processes holds it.
class PanelProblem {
 public:
  /// `columns` is the panel over all processes, (order - first) x width, first row the diagonal's.
  /// Rows of the diagonal block that a process does not own are NaN, the padding is `padding`.
  PanelProblem(const LocalShape& shape, std::int64_t step, const Dense& columns, double padding = 0)
      : rows_(shape.rows),
        geometry_(step_geometry(shape, step)),
        layout_(panel_layout(geometry_)),
        memory_(static_cast<std::size_t>(layout_.leading_dimension * layout_.width),
                std::numeric_limits<double>::quiet_NaN()),
        pivots_(static_cast<std::size_t>(layout_.width), -7) {
    for (std::int64_t i = 0; i < layout_.rows; ++i)
      for (std::int64_t j = 0; j < layout_.width; ++j) {
        if (i < owned_end()) {
          if (is_owned(i)) x()(i, j) = columns(panel_row(i), j);
        } else {
          x()(i, j) = padding;
        }
      }
  }

  hpcx::MatrixView x() {
    return {memory_.data(), layout_.rows, layout_.width, layout_.leading_dimension,
            hpcx::Layout::ColumnMajor};
  }
  /// Factorizes it; see factorize_panel.
  void factorize(const PanelSweep& sweep, const PanelTeam& team, PivotExchange* exchange) {
    double seconds = 0;
    factorize_panel({.x = x(),
                     .geometry = geometry_,
                     .rows = rows_,
                     .pivots = pivots_,
                     .zero_column = &zero_column_},
                    sweep, team, exchange, &seconds);
  }

  /// Row of the panel (0: its first) that row i of X is; rows of the diagonal block are known to
  /// all.
  std::int64_t panel_row(std::int64_t i) const {
    if (i < geometry_.width) return i;
    const std::int64_t local = geometry_.below_begin.value + i - geometry_.width;
    return rows_.to_global({local}).value - geometry_.first;
  }
  std::int64_t owned_end() const { return geometry_.width + geometry_.below_rows; }
  const StepGeometry& geometry() const { return geometry_; }
  /// Pivots counted from the panel's first row.
  std::vector<std::int64_t> pivots() const {
    std::vector<std::int64_t> result = pivots_;
    for (std::int64_t& pivot : result)
      pivot -= geometry_.first;
    return result;
  }
  std::int64_t zero_column() const { return zero_column_; }

  /// Largest difference between what this process holds and the rows of `expected`; NaN counts as
  /// infinite.
  double distance_to(const Dense& expected) {
    double largest = 0;
    for (std::int64_t i = 0; i < owned_end(); ++i)
      for (std::int64_t j = 0; j < geometry_.width; ++j) {
        const double difference = std::abs(x()(i, j) - expected(panel_row(i), j));
        if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
        largest = std::max(largest, difference);
      }
    return largest;
  }

 private:
  bool is_owned(std::int64_t i) const { return i >= geometry_.width || geometry_.on_owner_row; }

  RowMap rows_;
  StepGeometry geometry_;
  PanelLayout layout_;
  std::vector<double> memory_;
  std::vector<std::int64_t> pivots_;
  std::int64_t zero_column_ = -7;
};

/// A panel of rank-deficient columns whose elimination is exact: L has entries 0 and +-1/2, U small
/// integers and a unit diagonal but for the zeros at `zero_columns`. Rows are shuffled.
inline Dense exact_singular_panel(std::int64_t rows, std::int64_t width,
                                  const std::vector<std::int64_t>& zero_columns, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<int> small(-1, 1);
  Dense l(rows, width), u(width, width), a(rows, width);
  for (std::int64_t j = 0; j < width; ++j) {
    const bool zero = std::ranges::count(zero_columns, j) > 0;
    for (std::int64_t i = 0; i < j; ++i)
      u(i, j) = small(engine);
    u(j, j) = zero ? 0 : 1;
    for (std::int64_t i = j; i < rows; ++i)
      l(i, j) = i == j ? 1 : zero ? 0 : 0.5 * small(engine);
  }
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i)
    order[i] = i;
  std::shuffle(order.begin(), order.end(), engine);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < width; ++j)
      for (std::int64_t k = 0; k < width; ++k)
        a(order[i], j) += l(i, k) * u(k, j);
  return a;
}

/// All ways of sweeping a panel that HPL.dat can ask for, within reason.
inline std::vector<PanelSweep> all_sweeps() {
  std::vector<PanelSweep> sweeps;
  constexpr PanelVariant kVariants[] = {PanelVariant::Left, PanelVariant::Crout,
                                        PanelVariant::Right};
  for (const PanelVariant recursive : kVariants)
    for (const PanelVariant leaf : kVariants)
      for (const int stop : {1, 2, 4, 8})
        for (const int divisor : {2, 3})
          sweeps.push_back({recursive, divisor, stop, leaf});
  return sweeps;
}

inline std::string describe(const PanelSweep& sweep) {
  return "RFACT " + std::string(to_string(sweep.recursive_variant)) + " NDIV " +
         std::to_string(sweep.recursion_divisor) + " PFACT " +
         std::string(to_string(sweep.panel_variant)) + " NBMIN " +
         std::to_string(sweep.recursion_stop);
}

}  // namespace hpl::test
