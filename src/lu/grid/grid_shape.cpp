#include "hpl/lu/grid/grid_shape.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "hpl/base/error/error.h"

namespace hpl {

namespace {

/// Ranks up to this number form one row.
int most_in_one_row(ProcessorKind kind, int nodes) {
  if (kind == ProcessorKind::Cpu) return 4;
  return nodes == 1 ? 8 : 1;
}

GridShape squarest(int ranks) {
  int rows = 1;
  for (int divisor = 2; divisor <= ranks / divisor; ++divisor)
    if (ranks % divisor == 0) rows = divisor;
  return {.rows = rows, .columns = ranks / rows};
}

/// The share of the rate that remains on a grid of this flatness. A fit to the model on all data
/// sheets, N by memory: 1 : 2 costs nothing, 1 : 8 some 6 %, 1 : 16 some 13 %.
double share_of_flat_grid(GridShape grid) {
  const double flatness = std::log2(static_cast<double>(grid.columns) / grid.rows);
  const double beyond = std::max(0.0, flatness - 1);
  return std::max(0.0, 1 - 0.014 * beyond * beyond);
}

/// The rate of the grid, in units of that of a rank of a square one.
double worth(GridShape grid) {
  return grid.rows * grid.columns * share_of_flat_grid(grid);
}

}  // namespace

GridShape choose_grid(int ranks, ProcessorKind kind, int nodes) {
  HPL_ASSERT(ranks >= 1);
  if (ranks <= most_in_one_row(kind, nodes)) return {.rows = 1, .columns = ranks};
  return squarest(ranks);
}

std::vector<GridShape> grids_of_fewer(int ranks) {
  const double all = worth(squarest(ranks));
  std::vector<GridShape> grids;
  for (int used = ranks - 1; used >= ranks - ranks / 16 && used > all; --used)
    if (const GridShape grid = squarest(used); worth(grid) > all) grids.push_back(grid);
  std::ranges::stable_sort(grids, std::greater(), worth);
  return grids;
}

GridShape choose_grid_of_most(int ranks, ProcessorKind kind, int nodes) {
  const GridShape all = choose_grid(ranks, kind, nodes);
  if (ranks <= most_in_one_row(kind, nodes)) return all;
  constexpr double kWorthAnIdleRank = 1.02;  // or more, by the fit
  const std::vector<GridShape> fewer = grids_of_fewer(ranks);
  return !fewer.empty() && worth(fewer.front()) > kWorthAnIdleRank * worth(all) ? fewer.front()
                                                                                : all;
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
