#pragma once

#include <cstdint>

#include "gpu/launch.h"

/// The kernel that solves with an upper triangle and one right-hand side, over the type of elements
/// and of arithmetic.
namespace hpcx::HPCX_GPU_NAMESPACE::triangle_solver {

inline constexpr int kRows = 64;                 // of a block
inline constexpr int kHalf = kRows / 2;          // edge of what is inverted directly
inline constexpr int kLanes = kThreads / kRows;  // threads that share a row
inline constexpr int kColumnsPerThread = kRows / kLanes;

/// A word of memory that holds no element of x yet. It is a NaN, but not the one that arithmetic
/// makes. One of these words follows those of x: the number of the last block, from -1 on.
inline constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
inline constexpr std::uint64_t kOtherNan = 0x7fffffffffffffff;

__device__ inline std::uint64_t word_of(double value) {
  const auto bits = static_cast<std::uint64_t>(__double_as_longlong(value));
  return bits == kUnknown ? kOtherNan : bits;
}
__device__ inline std::uint64_t word_of(float value) {
  return __float_as_uint(value);
}

__device__ inline void publish(std::uint64_t* word, std::uint64_t bits) {
  *static_cast<volatile std::uint64_t*>(word) = bits;
}

template <class Real>
__device__ inline Real await(const std::uint64_t* word) {
  std::uint64_t bits = kUnknown;
  while (bits == kUnknown)
    bits = *static_cast<const volatile std::uint64_t*>(word);
  if constexpr (sizeof(Real) == sizeof(std::uint64_t))
    return __longlong_as_double(static_cast<long long>(bits));
  else
    return __uint_as_float(static_cast<unsigned>(bits));
}

template <class Real>
using Square = Real[kRows][kRows + 1];

/// d := d^-1, for upper triangles that are zero below their diagonal.
template <class Real>
__device__ void invert_upper(Square<Real>& d) {
  // Both halves of the diagonal, from below; each thread has a column. D X = I:
  // X(i, c) = (I(i, c) - sum over k > i of D(i, k) X(k, c)) / D(i, i), in place of row i of D.
  const int column = static_cast<int>(threadIdx.x);
  const int half = column / kHalf * kHalf;
  const int end = half + kHalf;
  for (int step = kHalf - 1; step >= 0; --step) {
    const int i = half + step;
    Real element = 0;
    if (column < kRows) {
      Real sum[4] = {};
      for (int k = i + 1; k < end; k += 4)
#pragma unroll
        for (int u = 0; u < 4; ++u)
          if (k + u < end) sum[u] += d[i][k + u] * d[k + u][column];
      const Real all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
      if (column >= i) element = (static_cast<Real>(column == i) - all) / d[i][i];
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
  Real product[kElements];
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
template <class Upper, class Vector>
__global__ void __launch_bounds__(kThreads) solve_upper(Upper u, Vector x, std::uint64_t* words) {
  using Real = typename Upper::Real;
  using Element = typename Upper::Element;
  __shared__ Square<Real> d;
  __shared__ Real partial[kRows][kLanes + 1];
  __shared__ Real known[2][kRows];
  __shared__ Real rest[kRows];
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
  Element now[kColumnsPerThread] = {}, next[kColumnsPerThread] = {};
  const auto load = [&](int block, Element(&tile)[kColumnsPerThread]) {
#pragma unroll
    for (int c = 0; c < kColumnsPerThread; ++c) {
      const std::int64_t column = static_cast<std::int64_t>(block) * kRows + lane + c * kLanes;
      tile[c] = first + row < n && column < n ? u(first + row, column) : Element(0.0F);
    }
  };
  if (blocks - 1 > me) load(blocks - 1, now);
  const bool has_row = thread < kRows && first + thread < n;
  const Real right_side = has_row ? x[first + thread] : Real(0);

  const bool row_major = u.by_rows;
  for (int e = thread; e < kRows * kRows; e += kThreads) {
    const int i = row_major ? e / kRows : e % kRows;
    const int j = row_major ? e % kRows : e / kRows;
    const bool inside = first + j < n && first + i < n && j >= i && !(i == j && u.unit_diagonal);
    d[i][j] = inside ? static_cast<Real>(u(first + i, first + j)) : static_cast<Real>(i == j);
  }
  __syncthreads();
  invert_upper(d);

  Real sum = 0;
  for (int block = blocks - 1; block > me; --block) {
    if (block - 1 > me) load(block - 1, next);
    Real* const of_block = known[block & 1];
    if (thread < kRows) {
      const std::int64_t column = static_cast<std::int64_t>(block) * kRows + thread;
      of_block[thread] = column < n ? await<Real>(words + column) : Real(0);
    }
    __syncthreads();
#pragma unroll
    for (int c = 0; c < kColumnsPerThread; ++c) {
      sum += static_cast<Real>(now[c]) * of_block[lane + c * kLanes];
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
  Real own = 0;
#pragma unroll
  for (int c = 0; c < kColumnsPerThread; ++c)
    own += d[row][lane + c * kLanes] * rest[lane + c * kLanes];
  partial[row][lane] = own;
  __syncthreads();
  if (has_row) {
    const Real value = sum_of_lanes();
    if (me > 0) publish(words + first + thread, word_of(value));
    x[first + thread] = value;
  }
  if (me > 0) return;
  // All others have read what they need: their results are known. The next solve finds the words as
  // this one did.
  for (std::int64_t i = thread; i < n; i += kThreads)
    words[i] = kUnknown;
  if (thread == 0) words[n] = kUnknown;
}

/// x := U^-1 x. `u` has the types Element and Real (of arithmetic), `rows`, `by_rows` (neighbours
/// in memory are of one row), `unit_diagonal` and elements (i, j); `x` has elements [i]. Of `words`
/// see GpuStream::solver_words().
template <class Upper, class Vector>
void launch(gpuStream_t stream, const Upper& u, const Vector& x, std::uint64_t* words) {
  solve_upper<<<grid_size(ceil_div(u.rows, kRows)), kThreads, 0, stream>>>(u, x, words);
  HPCX_CHECK_LAUNCH("solve_upper");
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE::triangle_solver
