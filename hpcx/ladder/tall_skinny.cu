#include "ladder/gpu_products.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

constexpr int kRows = static_cast<int>(kTallLeafRows);
constexpr int kColumns = static_cast<int>(kMostTallColumns);
constexpr int kShares = kThreads / kColumns;  // threads that share the rows of a column
constexpr int kPitch = kColumns + 1;          // rows and columns both lie in different banks

/// Householder's reflections of a leaf in shared memory. A step reads the leaf once for
/// g(c) = sum of a(i, j) a(i, c) over the rows below j, which holds the norm of the reflector and
/// its product with every column, and once to apply it.
__global__ void __launch_bounds__(kThreads) tall_leaf(TallSource source, double* out) {
  __shared__ double a[kRows][kPitch];
  __shared__ double partial[kShares][kColumns];
  const std::int64_t leaf = leaf_rows(source);
  const std::int64_t first = blockIdx.x * leaf;
  const std::int64_t left = source.rows - first;
  const int rows = static_cast<int>(left < leaf ? left : leaf);
  const int cols = static_cast<int>(source.cols);
  const int t = static_cast<int>(threadIdx.x);
  for (int place = t; place < kRows * kColumns; place += kThreads) {
    const int i = place % kRows, j = place / kRows;  // neighbours in a column
    a[i][j] = i < rows && j < cols ? source(first + i, j) : 0.0;
  }
  const int c = t % kColumns, share = t / kColumns;
  __syncthreads();
  for (int j = 0; j < cols && j < rows; ++j) {
    double sum = 0;
    for (int i = j + 1 + share; i < rows; i += kShares)
      sum += a[i][j] * a[i][c];
    partial[share][c] = sum;
    __syncthreads();
    double g = 0, norm = 0;
    for (int s = 0; s < kShares; ++s) {
      g += partial[s][c];
      norm += partial[s][j];
    }
    const double alpha = a[j][j];
    const double beta = -copysign(sqrt(alpha * alpha + norm), alpha);
    const double tau = (beta - alpha) / beta, scale = 1 / (alpha - beta);
    const bool any = norm != 0;  // else there is nothing to annihilate
    const double w = tau * (a[j][c] + scale * g);
    __syncthreads();  // all have read row j and the sums
    if (any && c > j) {
      for (int i = j + 1 + share; i < rows; i += kShares)
        a[i][c] -= scale * a[i][j] * w;
      if (share == 0) a[j][c] -= w;
    }
    if (any && c == j && share == 0) a[j][j] = beta;
    __syncthreads();
  }
  for (int place = t; place < cols * cols; place += kThreads) {
    const int i = place % cols, j = place / cols;
    out[blockIdx.x * source.cols * source.cols + place] = i <= j && i < rows ? a[i][j] : 0.0;
  }
}

}  // namespace

void factorize_tall_leaves(gpuStream_t stream, const TallSource& source, double* out) {
  tall_leaf<<<grid_size(leaf_count(source)), kThreads, 0, stream>>>(source, out);
  HPCX_CHECK_LAUNCH("tall_leaf");
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
