#include <cuda_pipeline.h>

#include "hpcx/error.h"
#include "ladder/gpu_products.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

/// Every factor comes from memory, as far as the caches do not have it.
template <class T, int kWidth>
__global__ void __launch_bounds__(kWidth* kWidth) element_a_thread(BasicProduct<T> p) {
  const std::int64_t across = ceil_div(p.c.cols, kWidth);
  const std::int64_t i = blockIdx.x / across * kWidth + threadIdx.x / kWidth;
  const std::int64_t j = blockIdx.x % across * kWidth + threadIdx.x % kWidth;
  if (i >= p.c.rows || j >= p.c.cols) return;
  T sum{0};
  for (std::int64_t k = 0; k < p.a.cols; ++k)
    sum += p.a.data[i * p.a.ld + k] * p.b.data[k * p.b.ld + j];
  p.c.data[i * p.c.ld + j] = sum;
}

constexpr int kTile = kLadderTile;    // rows and columns of C of a block
constexpr int kDepth = 8;             // of a tile of A and of B
constexpr int kSide = 16;             // threads along each side of the tile of C
constexpr int kEach = kTile / kSide;  // rows and columns of a thread
constexpr int kPitch = kTile + 4;     // so that the columns of A's tile lie in other banks
static_assert(kSide * kSide == kThreads && kThreads % kTile == 0 && kThreads % kDepth == 0);

/// The tiles of A and B of one range of k: a[k][row], b[k][column].
template <class T>
struct Stage {
  T a[kDepth][kPitch];
  T b[kDepth][kTile];
};

/// The first row and column of a tile of C.
struct Corner {
  std::int64_t i, j;
};

/// shared = *global, or zero where not `inside`, beside what the thread does next.
template <class T>
__device__ void start_copy(T* shared, const T* global, bool inside) {
  __pipeline_memcpy_async(shared, global, sizeof(T), inside ? 0 : sizeof(T));
}

/// Starts the copies of the tiles from k0 on; what is beyond the matrices becomes zero.
template <class T>
__device__ void start_stage(const BasicProduct<T>& p, Stage<T>& to, Corner tile, std::int64_t k0) {
  const auto [i0, j0] = tile;
  const int t = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int u = 0; u < kTile * kDepth / kThreads; ++u) {
    const int row = t / kDepth + u * (kThreads / kDepth);
    const std::int64_t i = i0 + row, k = k0 + t % kDepth;
    const bool inside = i < p.c.rows && k < p.a.cols;
    start_copy(&to.a[t % kDepth][row], inside ? p.a.data + i * p.a.ld + k : p.a.data, inside);
  }
#pragma unroll
  for (int u = 0; u < kTile * kDepth / kThreads; ++u) {
    const int line = t / kTile + u * (kThreads / kTile);
    const std::int64_t k = k0 + line, j = j0 + t % kTile;
    const bool inside = k < p.a.cols && j < p.c.cols;
    start_copy(&to.b[line][t % kTile], inside ? p.b.data + k * p.b.ld + j : p.b.data, inside);
  }
}

/// While a tile is multiplied, the next kStages - 1 are on their way.
template <class T, int kStages>
__global__ void __launch_bounds__(kThreads) tiles(BasicProduct<T> p) {
  __shared__ Stage<T> stages[kStages];
  const std::int64_t across = ceil_div(p.c.cols, kTile);
  const std::int64_t i0 = blockIdx.x / across * kTile, j0 = blockIdx.x % across * kTile;
  const int row = static_cast<int>(threadIdx.x) / kSide;
  const int column = static_cast<int>(threadIdx.x) % kSide;
  const std::int64_t count = ceil_div(p.a.cols, kDepth);
  for (int s = 0; s < kStages - 1; ++s) {
    if (s < count) start_stage(p, stages[s], {i0, j0}, s * kDepth);
    __pipeline_commit();  // an empty group where there is no such tile: groups are counted
  }
  T sum[kEach][kEach] = {};
  for (std::int64_t tile = 0; tile < count; ++tile) {
    const std::int64_t ahead = tile + kStages - 1;
    if (ahead < count) start_stage(p, stages[ahead % kStages], {i0, j0}, ahead * kDepth);
    __pipeline_commit();
    __pipeline_wait_prior(kStages - 1);
    __syncthreads();
    const Stage<T>& now = stages[tile % kStages];
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      T a[kEach], b[kEach];
#pragma unroll
      for (int u = 0; u < kEach; ++u) {
        a[u] = now.a[k][row + u * kSide];
        b[u] = now.b[k][column + u * kSide];
      }
#pragma unroll
      for (int u = 0; u < kEach; ++u)
#pragma unroll
        for (int v = 0; v < kEach; ++v)
          sum[u][v] += a[u] * b[v];
    }
    __syncthreads();  // all have read what the next copies overwrite
  }
#pragma unroll
  for (int u = 0; u < kEach; ++u)
#pragma unroll
    for (int v = 0; v < kEach; ++v) {
      const std::int64_t i = i0 + row + u * kSide, j = j0 + column + v * kSide;
      if (i < p.c.rows && j < p.c.cols) p.c.data[i * p.c.ld + j] = sum[u][v];
    }
}

/// Widths kWidth, 2 kWidth, ... 32.
template <int kWidth, class T>
void launch_elements(gpuStream_t stream, int width, const BasicProduct<T>& p) {
  if constexpr (kWidth < 32)
    if (width > kWidth) return launch_elements<2 * kWidth>(stream, width, p);
  HPCX_ASSERT(width == kWidth);
  const unsigned blocks = grid_size(ceil_div(p.c.rows, kWidth) * ceil_div(p.c.cols, kWidth));
  element_a_thread<T, kWidth><<<blocks, kWidth * kWidth, 0, stream>>>(p);
  HPCX_CHECK_LAUNCH("element_a_thread");
}

/// Stages kStages, kStages + 1, ... kMostStages.
template <int kStages, class T>
void launch_tiles(gpuStream_t stream, int stages, const BasicProduct<T>& p) {
  if constexpr (kStages < kMostStages)
    if (stages > kStages) return launch_tiles<kStages + 1>(stream, stages, p);
  HPCX_ASSERT(stages == kStages);
  const unsigned blocks = grid_size(ceil_div(p.c.rows, kTile) * ceil_div(p.c.cols, kTile));
  tiles<T, kStages><<<blocks, kThreads, 0, stream>>>(p);
  HPCX_CHECK_LAUNCH("tiles");
}

}  // namespace

void launch_product(gpuStream_t stream, LadderRung rung, const LadderProduct& product) {
  std::visit(
      [&](const auto& p) {
        if (rung.kind == LadderKind::Elements)
          launch_elements<4>(stream, rung.parameter, p);
        else
          launch_tiles<1>(stream, rung.parameter, p);
      },
      product);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
