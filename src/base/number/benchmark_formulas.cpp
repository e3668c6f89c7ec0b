#include "hpl/base/number/benchmark_formulas.h"

#include <algorithm>

namespace hpl {

double benchmark_flops(std::int64_t order) {
  const auto n = static_cast<double>(order);
  return n * n * (2.0 / 3.0 * n + 1.5);
}

double benchmark_gflops(std::int64_t order, double seconds) {
  if (order <= 0 || !(seconds > 0)) return 0;
  const auto n = static_cast<double>(order);
  return (n / 1e9) * (n / seconds) * (2.0 / 3.0 * n + 1.5);
}

double factorization_flops(std::int64_t order, std::int64_t columns_done) {
  const auto n = static_cast<double>(order);
  const auto left = static_cast<double>(order - std::clamp<std::int64_t>(columns_done, 0, order));
  return 2.0 / 3.0 * (n * n * n - left * left * left);
}

std::int64_t steps_until(std::int64_t order, std::int64_t block_size, double fraction) {
  const double wanted = fraction * factorization_flops(order, order);
  std::int64_t few = 0, enough = (order + block_size - 1) / block_size;
  while (enough - few > 1) {
    const std::int64_t middle = few + (enough - few) / 2;
    (factorization_flops(order, middle * block_size) >= wanted ? enough : few) = middle;
  }
  return std::max<std::int64_t>(enough, 1);
}

}  // namespace hpl
