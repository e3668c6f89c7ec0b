#include "gpu/blas.h"
#include "gpu/launch.h"
#include "gpu/stream.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

constexpr int kRows = 64;                 // of a block
constexpr int kHalf = kRows / 2;          // edge of what is inverted directly
constexpr int kLanes = kThreads / kRows;  // threads that share a row
constexpr int kColumnsPerThread = kRows / kLanes;

/// A word of memory that holds no element of x yet. It is a NaN, but not the one that arithmetic
/// makes. One of these words follows those of x: the number of the last block, from -1 on.
constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
constexpr std::uint64_t kOtherNan = 0x7fffffffffffffff;

__device__ __forceinline__ void publish(std::uint64_t* word, double value) {
  const auto bits = static_cast<std::uint64_t>(__double_as_longlong(value));
  *static_cast<volatile std::uint64_t*>(word) = bits == kUnknown ? kOtherNan : bits;
}

__device__ __forceinline__ double await(const std::uint64_t* word) {
  std::uint64_t bits = kUnknown;
  while (bits == kUnknown)
    bits = *static_cast<const volatile std::uint64_t*>(word);
  return __longlong_as_double(static_cast<long long>(bits));
}

using Square = double[kRows][kRows + 1];

/// d := d^-1, for upper triangles that are zero below their diagonal.
__device__ void invert_upper(Square& d) {
  // Both halves of the diagonal, from below; each thread has a column. D X = I:
  // X(i, c) = (I(i, c) - sum over k > i of D(i, k) X(k, c)) / D(i, i), in place of row i of D.
  const int column = static_cast<int>(threadIdx.x);
  const int half = column / kHalf * kHalf;
  const int end = half + kHalf;
  for (int step = kHalf - 1; step >= 0; --step) {
    const int i = half + step;
    double element = 0;
    if (column < kRows) {
      double sum[4] = {};
      for (int k = i + 1; k < end; k += 4)
#pragma unroll
        for (int u = 0; u < 4; ++u)
          if (k + u < end) sum[u] += d[i][k + u] * d[k + u][column];
      const double all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
      if (column >= i) element = ((column == i ? 1.0 : 0.0) - all) / d[i][i];
    }
    __syncthreads();
    if (column < kRows) d[i][column] = element;
    __syncthreads();
  }

  // X12 = -X11 (D12 X22); a thread has an element in each of several rows.
  constexpr int kRowsAtOnce = kThreads / kHalf;
  constexpr int kElements = kHalf / kRowsAtOnce;
  const int first = static_cast<int>(threadIdx.x) / kHalf;
  const int j = kHalf + static_cast<int>(threadIdx.x) % kHalf;
  double product[kElements];
#pragma unroll
  for (int e = 0; e < kElements; ++e) {
    const int i = first + e * kRowsAtOnce;
    product[e] = 0;
    for (int k = kHalf; k < kRows; ++k)
      product[e] += d[i][k] * d[k][j];
  }
  __syncthreads();
#pragma unroll
  for (int e = 0; e < kElements; ++e)
    d[first + e * kRowsAtOnce][j] = product[e];
  __syncthreads();
#pragma unroll
  for (int e = 0; e < kElements; ++e) {
    const int i = first + e * kRowsAtOnce;
    product[e] = 0;
    for (int k = 0; k < kHalf; ++k)
      product[e] -= d[i][k] * d[k][j];
  }
  __syncthreads();
#pragma unroll
  for (int e = 0; e < kElements; ++e)
    d[first + e * kRowsAtOnce][j] = product[e];
  __syncthreads();
}

/// x := U^-1 x by blocks of kRows rows. Each has inverted its diagonal block before it is its turn,
/// subtracts the products with the rows below as they become known, the last first, and then
/// publishes its own. Blocks are numbered as they start, so none waits for one that may not.
__global__ void __launch_bounds__(kThreads)
    solve_upper(ConstMatrixView u, MatrixView x, std::uint64_t* words) {
  __shared__ Square d;
  __shared__ double partial[kRows][kLanes + 1];
  __shared__ double known[2][kRows];
  __shared__ double rest[kRows];
  __shared__ unsigned taken;
  const std::int64_t n = u.rows;
  auto* const last_taken = reinterpret_cast<unsigned*>(words + n);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) taken = atomicAdd(last_taken, 1u) + 1u;
  __syncthreads();
  const int blocks = static_cast<int>(gridDim.x);
  const int me = blocks - 1 - static_cast<int>(taken);
  const std::int64_t first = static_cast<std::int64_t>(me) * kRows;

  const int row = thread / kLanes;
  const int lane = thread % kLanes;
  double now[kColumnsPerThread] = {}, next[kColumnsPerThread] = {};
  const auto load = [&](int block, double(&tile)[kColumnsPerThread]) {
#pragma unroll
    for (int c = 0; c < kColumnsPerThread; ++c) {
      const std::int64_t column = static_cast<std::int64_t>(block) * kRows + lane + c * kLanes;
      tile[c] = first + row < n && column < n ? u(first + row, column) : 0.0;
    }
  };
  if (blocks - 1 > me) load(blocks - 1, now);
  const bool has_row = thread < kRows && first + thread < n;
  const double right_side = has_row ? x(first + thread, 0) : 0.0;

  const bool row_major = u.layout == Layout::RowMajor;
  for (int e = thread; e < kRows * kRows; e += kThreads) {
    const int i = row_major ? e / kRows : e % kRows;
    const int j = row_major ? e % kRows : e / kRows;
    double element = i == j ? 1.0 : 0.0;  // beyond the end
    if (first + j < n && first + i < n) element = j < i ? 0.0 : u(first + i, first + j);
    d[i][j] = element;
  }
  __syncthreads();
  invert_upper(d);

  double sum = 0;
  for (int block = blocks - 1; block > me; --block) {
    if (block - 1 > me) load(block - 1, next);
    double* const of_block = known[block & 1];
    if (thread < kRows) {
      const std::int64_t column = static_cast<std::int64_t>(block) * kRows + thread;
      of_block[thread] = column < n ? await(words + column) : 0.0;
    }
    __syncthreads();
#pragma unroll
    for (int c = 0; c < kColumnsPerThread; ++c) {
      sum += now[c] * of_block[lane + c * kLanes];
      now[c] = next[c];
    }
  }
  const auto sum_of_lanes = [&] {
    return (partial[thread][0] + partial[thread][1]) + (partial[thread][2] + partial[thread][3]);
  };
  static_assert(kLanes == 4);

  partial[row][lane] = sum;
  __syncthreads();
  if (thread < kRows) rest[thread] = right_side - sum_of_lanes();
  __syncthreads();
  double own = 0;
#pragma unroll
  for (int c = 0; c < kColumnsPerThread; ++c)
    own += d[row][lane + c * kLanes] * rest[lane + c * kLanes];
  partial[row][lane] = own;
  __syncthreads();
  if (has_row) {
    const double value = sum_of_lanes();
    if (me > 0) publish(words + first + thread, value);
    x(first + thread, 0) = value;
  }
  if (me > 0) return;
  // All others have read what they need: their results are known. The next solve finds the words as
  // this one did.
  for (std::int64_t i = thread; i < n; i += kThreads)
    words[i] = kUnknown;
  if (thread == 0) words[n] = kUnknown;
}

}  // namespace

bool solve_upper(StreamRef stream, ConstMatrixView u, MatrixView x) {
  GpuStream& state = activate(stream);
  if (u.rows >= kSolverWords || x.cols != 1) return false;
  solve_upper<<<grid_size(ceil_div(u.rows, kRows)), kThreads, 0, state.native()>>>(
      u, x, state.solver_words());
  HPCX_CHECK_LAUNCH("solve_upper");
  return true;
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
