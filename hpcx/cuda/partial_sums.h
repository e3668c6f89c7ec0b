#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/launch.h"
#include "gpu/stream.h"

// Sums over the columns of a matrix by segments: many blocks add, and the order does not depend on
// which of them is first.

namespace hpcx::gpu_cuda {

/// y[i] := y[i] + alpha (partial[0][i] + partial[1][i] + ...), in this order.
template <class Real>
__global__ void add_partial_sums(const Real* partial, std::int64_t segments, std::int64_t count,
                                 Real alpha, Real* y) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= count) return;
  Real sum = 0;
  for (std::int64_t s = 0; s < segments; ++s)
    sum += partial[s * count + i];
  y[i] += alpha * sum;
}

/// A grid of segments of `columns` columns by tiles of rows, and the memory of its sums.
template <class Real>
struct PartialSums {
  std::int64_t tiles, segments, columns, count;
  Real* sums;

  /// About eight rounds of blocks on the largest chip; segments of at least `least` columns, and
  /// all but the last of a multiple of it.
  PartialSums(GpuStream& stream, std::int64_t rows, std::int64_t rows_of_tile, std::int64_t cols,
              std::int64_t least)
      : tiles(ceil_div(rows, rows_of_tile)),
        count(rows),
        sums(static_cast<Real*>(stream.blas().workspace())) {
    constexpr std::int64_t kEnoughBlocks = 8192;
    const std::int64_t room =
        BlasContext::workspace_bytes() / static_cast<std::int64_t>(sizeof(Real)) / count;
    HPCX_ASSERT(room > 0);
    const std::int64_t wanted = std::min(ceil_div(kEnoughBlocks, tiles), room);
    columns = ceil_div(ceil_div(cols, wanted), least) * least;
    segments = ceil_div(cols, columns);
  }
  unsigned grid() const { return grid_size(tiles * segments); }
  void add(cudaStream_t stream, Real alpha, Real* y) const {
    add_partial_sums<<<grid_size(ceil_div(count, kThreads)), kThreads, 0, stream>>>(
        sums, segments, count, alpha, y);
    HPCX_CHECK_LAUNCH("add_partial_sums");
  }
};

}  // namespace hpcx::gpu_cuda
