#include "hpl/host/sizing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "hpl/base/benchmark_formulas.h"
#include "hpl/base/bisection.h"
#include "hpl/base/error.h"

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

/// Elements of the first process along one dimension of a block-cyclic distribution, rounded up to
/// the alignment.
std::int64_t padded_local_extent(std::int64_t extent, std::int64_t processes,
                                 const MemoryModel& model) {
  const auto blocks = (extent + model.block_size - 1) / model.block_size;
  const auto own_blocks = (blocks + processes - 1) / processes;
  const auto local = std::min(extent, own_blocks * model.block_size);
  return (local + model.alignment - 1) / model.alignment * model.alignment;
}

}  // namespace

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
