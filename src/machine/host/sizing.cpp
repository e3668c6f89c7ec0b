#include "hpl/machine/host/sizing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "hpl/base/error/error.h"
#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/base/number/bisection.h"

namespace hpl {
namespace {

struct BlockSizeRule {
  std::int64_t below_order;
  std::int64_t block_size;
};
constexpr auto kAnyOrder = std::numeric_limits<std::int64_t>::max();

// Measured on two AVX-512 cores with OpenBLAS: K = 128 reaches 91 % of the rate of K = 256, K = 192
// 97 %. The panel of 256 columns costs as much as that gains until N = 12000.
constexpr std::array<BlockSizeRule, 4> kCpuRules{
    {{500, 64}, {4000, 128}, {16000, 192}, {kAnyOrder, 256}}};
// Measured on one H200: a large product gains until K = 2048, and its panel hides behind the update
// once the matrix is large.
constexpr std::array<BlockSizeRule, 3> kGpuRules{{{8192, 512}, {57344, 1024}, {kAnyOrder, 2048}}};
// The same for products by INT8: reconstruction costs the same for every NB.
constexpr std::array<BlockSizeRule, 4> kGpuEmulatedRules{
    {{2048, 512}, {24576, 1024}, {57344, 2048}, {kAnyOrder, 4096}}};

// The same for HPL-MxP: products of 16 bits gain until K = 4096, smaller matrices lose more by wide
// panels.
constexpr std::array<BlockSizeRule, 2> kGpuMixedRules{{{131072, 2048}, {kAnyOrder, 4096}}};

std::span<const BlockSizeRule> rules_of(ProcessorKind kind, Products products) {
  if (kind == ProcessorKind::Cpu) return kCpuRules;
  switch (products) {
    case Products::Fp64:
      return kGpuRules;
    case Products::Emulated:
      return kGpuEmulatedRules;
    case Products::Mixed:
      return kGpuMixedRules;
  }
  return kGpuRules;
}

}  // namespace

Products products_of(const Wishes& wishes) {
  return wishes.mixed.wanted          ? Products::Mixed
         : wishes.emulated_moduli > 0 ? Products::Emulated
                                      : Products::Fp64;
}

std::int64_t block_size_for(std::int64_t order, ProcessorKind kind, Products products) {
  const std::span<const BlockSizeRule> rules = rules_of(kind, products);
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [order](const BlockSizeRule& r) { return order < r.below_order; });
  return rule == rules.end() ? rules.back().block_size : rule->block_size;
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

}  // namespace hpl
