#include "gpu/kernels.h"
#include "gpu/launch.h"
#include "gpu/stream.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

// Every sum is made in an order that depends on the shape alone: results are the same in every run.

/// sums[line] := sum of |a| along a line; a block a line.
__global__ void __launch_bounds__(kThreads) sum_along(Lines<const double> a, double* sums) {
  __shared__ double partial[kThreads];
  for (std::int64_t line = blockIdx.x; line < a.lines; line += gridDim.x) {
    const double* x = a.data + line * a.ld;
    double sum[4] = {};
    std::int64_t place = threadIdx.x;
    for (; place + 3 * kThreads < a.length; place += 4 * kThreads)
#pragma unroll
      for (int u = 0; u < 4; ++u)
        sum[u] += fabs(x[place + u * kThreads]);
    for (; place < a.length; place += kThreads)
      sum[0] += fabs(x[place]);
    partial[threadIdx.x] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[line] = partial[0];
    __syncthreads();
  }
}

constexpr int kWide = 32;  // places of a line that a block sums
constexpr int kDeep = 32;  // threads that share a place

/// sums[place] := sum of |a| across the lines.
__global__ void __launch_bounds__(kWide* kDeep) sum_across(Lines<const double> a, double* sums) {
  __shared__ double partial[kDeep][kWide];
  const std::int64_t place = static_cast<std::int64_t>(blockIdx.x) * kWide + threadIdx.x;
  double sum[4] = {};
  if (place < a.length) {
    const double* x = a.data + place;
    std::int64_t line = threadIdx.y;
    for (; line + 3 * kDeep < a.lines; line += 4 * kDeep)
#pragma unroll
      for (int u = 0; u < 4; ++u)
        sum[u] += fabs(x[(line + u * kDeep) * a.ld]);
    for (; line < a.lines; line += kDeep)
      sum[0] += fabs(x[line * a.ld]);
  }
  partial[threadIdx.y][threadIdx.x] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (unsigned half = kDeep / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.y < half)
      partial[threadIdx.y][threadIdx.x] += partial[threadIdx.y + half][threadIdx.x];
  }
  if (threadIdx.y == 0 && place < a.length) sums[place] = partial[0][threadIdx.x];
}

}  // namespace

void GpuKernels::row_sums(StreamRef stream, ConstMatrixView a, double* sums) {
  if (a.rows == 0) return;
  if (a.cols == 0) return fill(stream, 0.0, {sums, a.rows, 1, a.rows, Layout::ColumnMajor});
  GpuStream& state = activate(stream);
  const Lines<const double> lines = lines_of(a);
  if (a.layout == Layout::RowMajor) {
    const std::int64_t blocks = lines.lines < (1 << 20) ? lines.lines : 1 << 20;
    sum_along<<<grid_size(blocks), kThreads, 0, state.native()>>>(lines, sums);
    HPCX_CHECK_LAUNCH("sum_along");
  } else {
    sum_across<<<grid_size(ceil_div(lines.length, kWide)), dim3(kWide, kDeep), 0, state.native()>>>(
        lines, sums);
    HPCX_CHECK_LAUNCH("sum_across");
  }
}

void GpuKernels::column_sums(StreamRef stream, ConstMatrixView a, double* sums) {
  row_sums(stream, a.transposed(), sums);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
