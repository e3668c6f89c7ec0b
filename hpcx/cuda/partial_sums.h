#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/launch.h"
#include "gpu/stream.h"

// Sums over the columns of a matrix by segments: many blocks add, and the order does not depend on
// which of them is first.

namespace hpcx::gpu_cuda {

/// A matrix whose rows are summed up: tiles of rows; segments of at least `least` columns, and all
/// but the last of a multiple of it.
struct SummedMatrix {
  std::int64_t rows, cols, rows_of_tile, least;
};

/// A grid of segments of `columns` columns by tiles of rows, and the memory of its sums.
template <class Real>
struct PartialSums {
  std::int64_t tiles, segments, columns, count;
  Real* sums;

  /// About eight rounds of blocks on the largest chip.
  PartialSums(GpuStream& stream, const SummedMatrix& of)
      : tiles(ceil_div(of.rows, of.rows_of_tile)),
        count(of.rows),
        sums(static_cast<Real*>(stream.blas().workspace())) {
    constexpr std::int64_t kEnoughBlocks = 8192;
    const std::int64_t room =
        BlasContext::workspace_bytes() / static_cast<std::int64_t>(sizeof(Real)) / count;
    HPCX_ASSERT(room > 0);
    const std::int64_t wanted = std::min(ceil_div(kEnoughBlocks, tiles), room);
    columns = ceil_div(ceil_div(of.cols, wanted), of.least) * of.least;
    segments = ceil_div(of.cols, columns);
  }
  unsigned grid() const { return grid_size(tiles * segments); }
  void add(cudaStream_t stream, Real alpha, Real* y) const;
};

/// y[i] := y[i] + alpha (sums[0][i] + sums[1][i] + ...), in this order.
template <class Real>
__global__ void add_partial_sums(PartialSums<Real> partial, Real alpha, Real* y) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= partial.count) return;
  Real sum = 0;
  for (std::int64_t s = 0; s < partial.segments; ++s)
    sum += partial.sums[s * partial.count + i];
  y[i] += alpha * sum;
}

template <class Real>
void PartialSums<Real>::add(cudaStream_t stream, Real alpha, Real* y) const {
  add_partial_sums<<<grid_size(ceil_div(count, kThreads)), kThreads, 0, stream>>>(*this, alpha, y);
  HPCX_CHECK_LAUNCH("add_partial_sums");
}

}  // namespace hpcx::gpu_cuda
