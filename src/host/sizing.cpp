#include "hpl/host/sizing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "hpl/base/error.h"
#include "hpl/report/run_result.h"

namespace hpl {
namespace {

struct BlockSizeRule {
  std::int64_t below_order;
  std::int64_t block_size;
};
constexpr auto kAnyOrder = std::numeric_limits<std::int64_t>::max();

// Measured on two AVX-512 cores with OpenBLAS: K = 128 reaches 91 % of the rate of K = 256, K = 192
// 97 %.
constexpr std::array<BlockSizeRule, 3> kCpuRules{{{500, 64}, {4000, 128}, {kAnyOrder, 192}}};
// Measured on one H200 (docs/performance.md): a large product gains until K = 2048, and its panel
// hides behind the update once the matrix is large.
constexpr std::array<BlockSizeRule, 4> kGpuRules{
    {{8192, 256}, {24576, 512}, {57344, 1024}, {kAnyOrder, 2048}}};

constexpr int kRanksInOneRowCpu = 4;
constexpr int kRanksInOneRowGpu = 8;

/// Elements of the first process along one dimension of a block-cyclic distribution, rounded up to
/// the alignment.
std::int64_t padded_local_extent(std::int64_t extent, std::int64_t processes,
                                 const MemoryModel& model) {
  const auto blocks = (extent + model.block_size - 1) / model.block_size;
  const auto own_blocks = (blocks + processes - 1) / processes;
  const auto local = std::min(extent, own_blocks * model.block_size);
  return (local + model.alignment - 1) / model.alignment * model.alignment;
}

/// Largest multiple of step in [0, limit] that passes the test; the test holds up to some point and
/// not beyond.
template <typename Test>
std::int64_t largest_multiple(std::int64_t step, std::int64_t limit, const Test& passes) {
  std::int64_t low = 0, high = limit / step;
  while (low < high) {
    const auto middle = low + (high - low + 1) / 2;
    if (passes(middle * step)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low * step;
}

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
  // How far from square, counted the same way for wide and for tall.
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

std::int64_t block_size_for(std::int64_t order, ProcessorKind kind) {
  const std::span<const BlockSizeRule> rules =
      kind == ProcessorKind::Cpu ? std::span<const BlockSizeRule>(kCpuRules) : kGpuRules;
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [order](const BlockSizeRule& r) { return order < r.below_order; });
  return rule == rules.end() ? rules.back().block_size : rule->block_size;
}

std::int64_t bytes_for_order(std::int64_t order, const MemoryModel& model) {
  HPL_ASSERT(order >= 0 && model.block_size >= 1 && model.alignment >= 1);
  const auto rows = padded_local_extent(order, model.grid.rows, model);
  const auto columns = padded_local_extent(order + 1, model.grid.columns, model);
  const auto nb = model.block_size;
  const auto panel = rows * nb + nb * nb;
  const auto chunk = nb * std::min(columns, model.chunk_columns);
  const auto elements = rows * columns + model.panels * panel + model.chunk_buffers * chunk;
  return elements * static_cast<std::int64_t>(sizeof(double)) + model.fixed_bytes;
}

std::int64_t order_for_memory(std::int64_t bytes_total, double fraction, const MemoryModel& model) {
  HPL_ASSERT(fraction >= 0.0 && fraction <= 1.0);
  const auto processes = std::int64_t{model.grid.rows} * model.grid.columns;
  const double budget =
      fraction * static_cast<double>(bytes_total) / static_cast<double>(processes);
  // No order beyond that of a matrix without any workspace; one step more because of the rounding.
  const auto limit = static_cast<std::int64_t>(
      std::sqrt(std::max(0.0, fraction * static_cast<double>(bytes_total)) / sizeof(double)));
  return largest_multiple(model.block_size, limit + model.block_size, [&](std::int64_t order) {
    return static_cast<double>(bytes_for_order(order, model)) <= budget;
  });
}

double estimated_seconds(std::int64_t order, double gflops) {
  HPL_ASSERT(gflops > 0.0);
  return benchmark_flops(order) / (gflops * 1e9);
}

std::int64_t order_for_seconds(double gflops, double seconds, std::int64_t block_size) {
  HPL_ASSERT(gflops > 0.0 && seconds > 0.0 && block_size >= 1);
  const auto limit = static_cast<std::int64_t>(std::cbrt(1.5 * gflops * 1e9 * seconds));
  const auto order = largest_multiple(block_size, limit, [&](std::int64_t candidate) {
    return estimated_seconds(candidate, gflops) <= seconds;
  });
  return std::max(order, block_size);
}

std::int64_t automatic_order(const AutomaticSize& wish) {
  const double fraction = wish.memory_fraction.value_or(kDefaultMemoryFraction);
  const auto fitting = order_for_memory(wish.bytes_total, fraction, wish.model);
  if (wish.memory_fraction || wish.gflops <= 0.0) {
    return fitting;
  }
  return std::min(fitting, order_for_seconds(wish.gflops, wish.seconds, wish.model.block_size));
}

}  // namespace hpl
