#include "hpl/lu/grid/grid_shape.h"

#include <cmath>

#include "hpl/base/error/error.h"

namespace hpl {

namespace {

constexpr int kRanksInOneRowCpu = 4;
constexpr int kRanksInOneRowGpu = 8;

}  // namespace

GridShape choose_grid(int ranks, ProcessorKind kind, int nodes) {
  HPL_ASSERT(ranks >= 1);
  const int in_one_row = kind == ProcessorKind::Cpu ? kRanksInOneRowCpu
                         : nodes == 1               ? kRanksInOneRowGpu
                                                    : 1;
  if (ranks <= in_one_row) {
    return {.rows = 1, .columns = ranks};
  }
  // GPUs of a process column agree on pivots through each other's memory where they share a node,
  // and more slowly through hosts: a column is worth more inside one than a grid is square.
  const bool keep_columns_in_nodes = kind == ProcessorKind::Gpu && nodes > 1 && ranks % nodes == 0;
  int rows = 1;
  for (int divisor = 2; divisor <= ranks / divisor; ++divisor) {
    const bool fits_node = !keep_columns_in_nodes || ranks / nodes % divisor == 0;
    if (ranks % divisor == 0 && fits_node) {
      rows = divisor;
    }
  }
  return {.rows = rows, .columns = ranks / rows};
}

GridShape choose_grid_of_tiles(int nodes, GridShape tile) {
  HPL_ASSERT(nodes >= 1 && tile.rows >= 1 && tile.columns >= 1);
  // The distance from a square, counted the same way for wide and for tall.
  const auto slant = [](GridShape grid) {
    return std::abs(std::log(static_cast<double>(grid.columns) / grid.rows));
  };
  GridShape best{tile.rows, tile.columns * nodes};
  for (int rows = 2; rows <= nodes; ++rows) {
    const GridShape grid{tile.rows * rows, tile.columns * (nodes / rows)};
    const double gain = slant(best) - slant(grid);
    if (nodes % rows == 0 && gain > 1e-9) best = grid;  // wider grids come first
  }
  return best;
}

std::optional<GridShape> choose_tile(GridShape grid, int ranks_per_node) {
  std::optional<GridShape> best;
  double least = 0;
  for (int rows = ranks_per_node; rows >= 1; --rows) {
    const int columns = ranks_per_node / rows;
    if (ranks_per_node % rows != 0 || grid.rows % rows != 0 || grid.columns % columns != 0)
      continue;
    if (rows == grid.rows) return GridShape{rows, columns};  // columns stay inside nodes
    const double leaves = static_cast<double>(rows) / grid.rows + 2.0 * columns / grid.columns;
    if (best && leaves >= least - 1e-9) continue;
    best = {rows, columns};
    least = leaves;
  }
  return best;
}

}  // namespace hpl
