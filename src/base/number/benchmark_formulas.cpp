#include "hpl/base/number/benchmark_formulas.h"

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

}  // namespace hpl
