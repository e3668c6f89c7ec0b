#pragma once

#include <cstdint>

namespace hpl {

/// 2/3 N^3 + 3/2 N^2, the operations the benchmark credits.
double benchmark_flops(std::int64_t order);

/// benchmark_flops(order) / seconds / 1e9 in netlib's order of operations, which keeps every factor
/// small: (N/1e9) (N/t) (2/3 N + 3/2). Zero when nothing was solved or no time was measured.
double benchmark_gflops(std::int64_t order, double seconds);

}  // namespace hpl
