#include <algorithm>

#include "gpu/blas.h"
#include "gpu/kernels.h"
#include "gpu/launch.h"
#include "gpu/stream.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

constexpr int kBase = 64;                 // edge of the diagonal blocks inverted directly
constexpr int kLanes = kThreads / kBase;  // threads that share a row

/// inverse := L^-1 for the diagonal blocks of kBase, a block each, in place in shared memory.
__global__ void __launch_bounds__(kThreads)
    invert_diagonal_blocks(ConstMatrixView lower, MatrixView inverse) {
  __shared__ double x[kBase][kBase + 1];
  __shared__ double partial[kLanes][kBase];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kBase;
  const int size = static_cast<int>(first + kBase < lower.rows ? kBase : lower.rows - first);
  const bool row_major = lower.layout == Layout::RowMajor;
  for (int e = threadIdx.x; e < kBase * kBase; e += kThreads) {
    const int i = row_major ? e / kBase : e % kBase;
    const int j = row_major ? e % kBase : e / kBase;
    x[i][j] = i < size && j < i ? lower(first + i, first + j) : 0.0;
  }
  __syncthreads();

  const int i = threadIdx.x % kBase;
  const int lane = threadIdx.x / kBase;
  for (int j = size - 2; j >= 0; --j) {
    // X(i, j) = -L(i, j) - sum over j < k < i of X(i, k) L(k, j), from X L = I.
    double sum = 0;
    for (int k = j + 1 + lane; k < i; k += kLanes)
      sum += x[i][k] * x[k][j];
    partial[lane][i] = sum;
    __syncthreads();
    if (lane == 0 && i > j) {
      for (int other = 1; other < kLanes; ++other)
        sum += partial[other][i];
      x[i][j] = -x[i][j] - sum;
    }
    __syncthreads();
  }

  const bool out_row_major = inverse.layout == Layout::RowMajor;
  for (int e = threadIdx.x; e < kBase * kBase; e += kThreads) {
    const int r = out_row_major ? e / kBase : e % kBase;
    const int c = out_row_major ? e % kBase : e / kBase;
    if (r < size && c < size) inverse(first + r, first + c) = r == c ? 1.0 : x[r][c];
  }
}

__global__ void zero_strict_upper(MatrixView a) {
  const std::int64_t pieces = ceil_div(a.rows, kThreads);
  const std::int64_t fast = blockIdx.x % pieces * kThreads + threadIdx.x;
  const std::int64_t slow = blockIdx.x / pieces;
  const std::int64_t i = a.layout == Layout::RowMajor ? slow : fast;
  const std::int64_t j = a.layout == Layout::RowMajor ? fast : slow;
  if (fast < a.rows && j > i) a(i, j) = 0.0;
}

/// `count` diagonal blocks of a triangle, from row `first` on; the first `upper` rows of each and
/// the other `lower` ones are inverted already.
struct Pairs {
  std::int64_t first, upper, lower, count;
};

/// Completes their inverses: X21 = -X22 (L21 X11).
void join(StreamRef stream, ConstMatrixView lower, MatrixView inverse, const Pairs& pairs) {
  const auto& [first, upper, lower_rows, count] = pairs;
  const std::int64_t second = first + upper;
  const std::int64_t size = upper + lower_rows;
  const std::int64_t stride_l = lower.offset(size, size);
  const std::int64_t stride_x = inverse.offset(size, size);
  const auto l21 = lower.block(second, first, lower_rows, upper);
  const auto x11 = inverse.block(first, first, upper, upper);
  const auto x22 = inverse.block(second, second, lower_rows, lower_rows);
  const auto x21 = inverse.block(second, first, lower_rows, upper);
  // The block opposite to X21 becomes zero and until then holds the product between.
  const auto product = inverse.block(first, second, upper, lower_rows).transposed();
  gemm_batch(stream, {count, stride_l, stride_x, stride_x}, {1.0, l21, x11, 0.0, product});
  gemm_batch(stream, {count, stride_x, stride_x, stride_x}, {-1.0, x22, product, 0.0, x21});
}

}  // namespace

void GpuKernels::invert_unit_lower(StreamRef stream, ConstMatrixView lower, MatrixView inverse) {
  HPCX_ASSERT(lower.rows == lower.cols && lower.rows == inverse.rows &&
              inverse.rows == inverse.cols);
  const std::int64_t n = lower.rows;
  if (n == 0) return;
  GpuStream& state = activate(stream);
  invert_diagonal_blocks<<<grid_size(ceil_div(n, kBase)), kThreads, 0, state.native()>>>(lower,
                                                                                         inverse);
  HPCX_CHECK_LAUNCH("invert_diagonal_blocks");
  for (std::int64_t size = kBase; size < n; size *= 2) {
    const std::int64_t pairs = n / (2 * size);
    if (pairs > 0) join(stream, lower, inverse, {0, size, size, pairs});
    const std::int64_t rest = n - pairs * 2 * size;
    if (rest > size) join(stream, lower, inverse, {pairs * 2 * size, size, rest - size, 1});
    // After every level: the next one multiplies by these blocks whole.
    zero_strict_upper<<<grid_size(ceil_div(n, kThreads) * n), kThreads, 0, state.native()>>>(
        inverse);
    HPCX_CHECK_LAUNCH("zero_strict_upper");
  }
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
