#pragma once

#include <cstdint>

namespace hpl {

/// 2/3 N^3 + 3/2 N^2, the operations the benchmark credits.
double benchmark_flops(std::int64_t order);

/// benchmark_flops(order) / seconds / 1e9 in netlib's order of operations, which keeps every factor
/// small: (N/1e9) (N/t) (2/3 N + 3/2). Zero when nothing was solved or no time was measured.
double benchmark_gflops(std::int64_t order, double seconds);

/// 2/3 (N^3 - (N-j)^3): operations of the LU of order N after j columns; j is clamped to 0..N.
double factorization_flops(std::int64_t order, std::int64_t columns_done);

/// Steps of NB columns after which at least `fraction` of the operations of the factorization of
/// order N are done; 1 at least. Pure, so that all ranks stop at the same place.
std::int64_t steps_until(std::int64_t order, std::int64_t block_size, double fraction);

}  // namespace hpl
