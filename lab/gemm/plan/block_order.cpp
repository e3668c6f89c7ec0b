#include "block_order.h"

#include <algorithm>

namespace hpl::gemm {

namespace {

struct Unit {
  std::int64_t number, row, rows, col, cols;  // first block and number of blocks
};

void append_by_rows(std::vector<BlockPosition>& order, const Unit& unit) {
  for (std::int64_t i = 0; i < unit.rows; ++i)
    for (std::int64_t j = 0; j < unit.cols; ++j)
      order.push_back({unit.row + i, unit.col + j, unit.number});
}

void append_by_cols(std::vector<BlockPosition>& order, const Unit& unit) {
  for (std::int64_t j = 0; j < unit.cols; ++j)
    for (std::int64_t i = 0; i < unit.rows; ++i)
      order.push_back({unit.row + i, unit.col + j, unit.number});
}

/// A square that grows by a row and a column at a time: t^2 blocks need 2 t pieces.
void append_growing(std::vector<BlockPosition>& order, const Unit& unit) {
  for (std::int64_t t = 0; t < std::max(unit.rows, unit.cols); ++t) {
    if (t < unit.rows)
      for (std::int64_t j = 0; j < std::min(t, unit.cols); ++j)
        order.push_back({unit.row + t, unit.col + j, unit.number});
    if (t < unit.cols)
      for (std::int64_t i = 0; i < std::min(t + 1, unit.rows); ++i)
        order.push_back({unit.row + i, unit.col + t, unit.number});
  }
}

}  // namespace

std::vector<BlockPosition> block_order(const UnitGrid& grid, bool snake) {
  std::vector<BlockPosition> order;
  order.reserve(static_cast<std::size_t>(grid.block_rows * grid.block_cols));
  std::int64_t number = 0;
  for (std::int64_t down = 0; down < grid.down(); ++down) {
    for (std::int64_t step = 0; step < grid.across(); ++step) {
      const std::int64_t across = snake && down % 2 == 1 ? grid.across() - 1 - step : step;
      const std::int64_t row = down * grid.unit_rows, col = across * grid.unit_cols;
      const Unit unit{number, row, std::min(grid.unit_rows, grid.block_rows - row), col,
                      std::min(grid.unit_cols, grid.block_cols - col)};
      const bool new_a = step == 0, new_b = !new_a || number == 0;  // strips
      if (snake && new_a && new_b)
        append_growing(order, unit);
      else if (snake && new_b)
        append_by_cols(order, unit);
      else
        append_by_rows(order, unit);
      ++number;
    }
  }
  return order;
}

}  // namespace hpl::gemm
