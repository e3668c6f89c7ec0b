#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <limits>

#include "cuda/mixed_diagonal.h"
#include "hpcx/mixed.h"

// The base blocks of factorize_diagonal(). Tests run the kernel on the host.

namespace hpcx::gpu_cuda::diagonal {

inline constexpr int kBaseEdge = static_cast<int>(kBase);
inline constexpr int kGroup = 4;               // neighbours that a thread has
inline constexpr int kSpread = kBaseEdge / 2;  // from a thread's first group to its second
inline constexpr int kOwn = 2 * kGroup;        // rows, and columns, of a thread
inline constexpr int kThreadsAcross = kSpread / kGroup;
inline constexpr int kBaseThreads = kThreadsAcross * kThreadsAcross;

/// Index of the `e`th row (or column) of the thread that is the `t`th down (or across).
__device__ constexpr int index_of(int t, int e) {
  return e / kGroup * kSpread + t * kGroup + e % kGroup;
}

/// One sweep makes L, U and both inverses. Before step k, element (i, j) of `a` is that of
///   L^-1 for j < k, j < i;   U^-1 for i < k, i < j;   the Schur complement for i, j >= k
/// of the part that is known. Row k and column k are final then, and step k does
///   c(i) := a(i, k) / a(k, k) for i != k, c(k) := 1 / a(k, k)
///   a(i, j) := a(i, j) - c(i) a(k, j) for j > k, where a(k, j) counts as 0 in row k, and for
///   j < k in rows i > k; a(i, k) := -c(i) below the diagonal, c(i) above and on it.
static __global__ void __launch_bounds__(kBaseThreads, 1)
    factorize_base(Workspace work, std::int64_t first, DiagonalResult* result) {
  alignas(16) __shared__ float rows[2][kBaseEdge], columns[2][kBaseEdge];
  const std::int64_t ld = work.edge, origin = first * (ld + 1);
  float* const matrix = work.matrix + origin;
  const int thread = static_cast<int>(threadIdx.x);
  const int down = thread % kThreadsAcross, across = thread / kThreadsAcross;
  float a[kOwn][kOwn];  // [column][row]
#pragma unroll
  for (int c = 0; c < kOwn; ++c)
#pragma unroll
    for (int r = 0; r < kOwn; ++r)
      a[c][r] = matrix[index_of(across, c) * ld + index_of(down, r)];

  constexpr float kLargest = std::numeric_limits<float>::max();
  int bad = -1;
  for (int k = 0; k < kBaseEdge; ++k) {
    float* const row = rows[k & 1];
    float* const column = columns[k & 1];
    const int owner = k % kSpread / kGroup;
    if (down == owner) {
#pragma unroll
      for (int r = 0; r < kOwn; ++r)
        if (index_of(down, r) == k) {
#pragma unroll
          for (int c = 0; c < kOwn; ++c) {
            row[index_of(across, c)] = a[c][r];
            if (index_of(across, c) > k) a[c][r] = 0;
          }
        }
    }
    if (across == owner) {
#pragma unroll
      for (int c = 0; c < kOwn; ++c)
        if (index_of(across, c) == k) {
#pragma unroll
          for (int r = 0; r < kOwn; ++r)
            column[index_of(down, r)] = a[c][r];
        }
    }
    __syncthreads();  // two steps ahead nobody reads these two lines any more

    const float pivot = row[k];
    if (bad < 0 && !(fabsf(pivot) > 0 && fabsf(pivot) <= kLargest)) bad = k;
    const float inverse = 1.0F / pivot;
    float factor[kOwn], of_row[kOwn];
#pragma unroll
    for (int e = 0; e < kOwn; ++e) {
      const int i = index_of(down, e);
      factor[e] = i == k ? inverse : column[i] * inverse;
      of_row[e] = row[index_of(across, e)];
    }
#pragma unroll
    for (int group = 0; group < kOwn; group += kGroup) {
      const int j0 = index_of(across, group);
      if (j0 > k) {
#pragma unroll
        for (int c = group; c < group + kGroup; ++c)
#pragma unroll
          for (int r = 0; r < kOwn; ++r)
            a[c][r] -= factor[r] * of_row[c];
      } else {
#pragma unroll
        for (int c = group; c < group + kGroup; ++c) {
          const int j = index_of(across, c);
#pragma unroll
          for (int r = 0; r < kOwn; ++r) {
            const int i = index_of(down, r);
            if (j == k)
              a[c][r] = i > k ? -factor[r] : factor[r];
            else if (j > k || i > k)
              a[c][r] -= factor[r] * of_row[c];
          }
        }
      }
    }
    // U(k, j) and L(i, k), which no thread keeps.
    const int index = thread % kBaseEdge;
    if (thread < kBaseEdge) {
      if (index >= k) matrix[k + index * ld] = row[index];
    } else if (index > k) {
      matrix[index + k * ld] = column[index] * inverse;
    }
  }

#pragma unroll
  for (int c = 0; c < kOwn; ++c)
#pragma unroll
    for (int r = 0; r < kOwn; ++r) {
      const int i = index_of(down, r), j = index_of(across, c);
      work.lower[origin + i + j * ld] = i > j ? a[c][r] : static_cast<float>(i == j);
      work.upper[origin + i * ld + j] = i > j ? 0.0F : a[c][r];
    }
  if (thread == 0 && bad >= 0 && result->bad_column < 0) result->bad_column = first + bad;
}

}  // namespace hpcx::gpu_cuda::diagonal
