#include <algorithm>

#include "gpu/kernels.h"
#include "gpu/launch.h"
#include "gpu/stream.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

__device__ std::int64_t from(const RowMoves& all, std::int64_t i) {
  return all.source_rows != nullptr ? all.source_rows[i] : i;
}
__device__ std::int64_t to(const RowMoves& all, std::int64_t i) {
  return all.destination_rows != nullptr ? all.destination_rows[i] : i;
}

constexpr int kUnroll = 4;

/// Both row-major. A block has blockDim.y rows; a thread has kUnroll loads under way before the
/// first store.
template <class Vector>
__global__ void __launch_bounds__(kThreads) move_contiguous(RowMoves move) {
  constexpr std::int64_t kWidth = sizeof(Vector) / sizeof(double);
  const std::int64_t cols = move.destination.cols;
  const std::int64_t vectors = cols / kWidth;
  const std::int64_t per_block = static_cast<std::int64_t>(blockDim.x) * kUnroll;
  const std::int64_t pieces = ceil_div(ceil_div(cols, kWidth), per_block);
  const std::int64_t row = blockIdx.x / pieces * blockDim.y + threadIdx.y;
  if (row >= move.count) return;
  const double* source = move.source.data + from(move, row) * move.source.ld;
  double* destination = move.destination.data + to(move, row) * move.destination.ld;
  const std::int64_t first = blockIdx.x % pieces * per_block + threadIdx.x;

  Vector held[kUnroll];
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const std::int64_t place = first + u * static_cast<std::int64_t>(blockDim.x);
    if (place < vectors) held[u] = reinterpret_cast<const Vector*>(source)[place];
  }
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const std::int64_t place = first + u * static_cast<std::int64_t>(blockDim.x);
    if (place < vectors) reinterpret_cast<Vector*>(destination)[place] = held[u];
    // The odd element behind the last whole vector.
    if (kWidth > 1 && place == vectors && cols % kWidth != 0)
      destination[cols - 1] = source[cols - 1];
  }
}

constexpr int kTile = 32;
constexpr int kTileLines = 8;

/// Different layouts: through a tile of shared memory, so that reads and writes both run along
/// contiguous memory. One column of padding keeps the transposed reads off each other's banks.
template <bool kSourceRowMajor>
__global__ void __launch_bounds__(kTile* kTileLines) move_tiles(RowMoves move) {
  __shared__ double tile[kTile][kTile + 1];
  const std::int64_t cols = move.destination.cols;
  // Neighbouring blocks are neighbours in the destination's lines, whose writes want company.
  const std::int64_t across = ceil_div(kSourceRowMajor ? move.count : cols, kTile);
  const std::int64_t fast = blockIdx.x % across * kTile;
  const std::int64_t slow = blockIdx.x / across * kTile;
  const std::int64_t first_row = kSourceRowMajor ? fast : slow;
  const std::int64_t first_col = kSourceRowMajor ? slow : fast;
  const int x = static_cast<int>(threadIdx.x);
  const int first_line = static_cast<int>(threadIdx.y);

#pragma unroll
  for (int u = 0; u < kTile / kTileLines; ++u) {
    const int y = first_line + u * kTileLines;
    const std::int64_t row = first_row + (kSourceRowMajor ? y : x);
    const std::int64_t col = first_col + (kSourceRowMajor ? x : y);
    if (row < move.count && col < cols)
      tile[y][x] = kSourceRowMajor ? move.source.data[from(move, row) * move.source.ld + col]
                                   : move.source.data[from(move, row) + col * move.source.ld];
  }
  __syncthreads();
#pragma unroll
  for (int u = 0; u < kTile / kTileLines; ++u) {
    const int y = first_line + u * kTileLines;
    const std::int64_t row = first_row + (kSourceRowMajor ? x : y);
    const std::int64_t col = first_col + (kSourceRowMajor ? y : x);
    if (row >= move.count || col >= cols) continue;
    if (kSourceRowMajor)
      move.destination.data[to(move, row) + col * move.destination.ld] = tile[x][y];
    else
      move.destination.data[to(move, row) * move.destination.ld + col] = tile[x][y];
  }
}

constexpr int kColsPerThread = 8;

/// Both column-major: the rows of a list lie apart in every column, only one side can be
/// contiguous.
__global__ void __launch_bounds__(kThreads) move_strided(RowMoves move) {
  const std::int64_t pieces = ceil_div(move.count, kThreads);
  const std::int64_t row = blockIdx.x % pieces * kThreads + threadIdx.x;
  const std::int64_t first = blockIdx.x / pieces * kColsPerThread;
  if (row >= move.count) return;
  const double* source = move.source.data + from(move, row) + first * move.source.ld;
  double* destination = move.destination.data + to(move, row) + first * move.destination.ld;
  const std::int64_t left = move.destination.cols - first;
  double held[kColsPerThread];
#pragma unroll
  for (int u = 0; u < kColsPerThread; ++u)
    if (u < left) held[u] = source[u * move.source.ld];
#pragma unroll
  for (int u = 0; u < kColsPerThread; ++u)
    if (u < left) destination[u * move.destination.ld] = held[u];
}

template <class Vector>
void launch_contiguous(gpuStream_t stream, const RowMoves& move) {
  constexpr std::int64_t kWidth = sizeof(Vector) / sizeof(double);
  const std::int64_t vectors = ceil_div(move.destination.cols, kWidth);
  // Short rows share a block.
  unsigned across = kThreads;
  while (across > 1 && across / 2 >= vectors)
    across /= 2;
  const dim3 block(across, kThreads / across);
  const std::int64_t blocks = ceil_div(vectors, static_cast<std::int64_t>(across) * kUnroll) *
                              ceil_div(move.count, block.y);
  move_contiguous<Vector><<<grid_size(blocks), block, 0, stream>>>(move);
  HPCX_CHECK_LAUNCH("move_contiguous");
}

}  // namespace

void GpuKernels::move_rows(StreamRef stream, const RowMoves& move) {
  HPCX_ASSERT(move.source.cols == move.destination.cols);
  if (move.count == 0 || move.destination.cols == 0) return;
  const gpuStream_t native = activate(stream).native();
  const bool source_row_major = move.source.layout == Layout::RowMajor;
  const bool destination_row_major = move.destination.layout == Layout::RowMajor;
  const std::int64_t cols = move.destination.cols;
  if (source_row_major && destination_row_major) {
    if (vectors_fit(lines_of(move.source)) && vectors_fit(lines_of(move.destination)))
      launch_contiguous<double2>(native, move);
    else
      launch_contiguous<double>(native, move);
  } else if (source_row_major || destination_row_major) {
    const unsigned blocks = grid_size(ceil_div(move.count, kTile) * ceil_div(cols, kTile));
    const dim3 block(kTile, kTileLines);
    if (source_row_major)
      move_tiles<true><<<blocks, block, 0, native>>>(move);
    else
      move_tiles<false><<<blocks, block, 0, native>>>(move);
    HPCX_CHECK_LAUNCH("move_tiles");
  } else {
    const std::int64_t blocks = ceil_div(move.count, kThreads) * ceil_div(cols, kColsPerThread);
    move_strided<<<grid_size(blocks), kThreads, 0, native>>>(move);
    HPCX_CHECK_LAUNCH("move_strided");
  }
}

void GpuKernels::copy(StreamRef stream, ConstMatrixView source, MatrixView destination) {
  HPCX_ASSERT(source.rows == destination.rows);
  if (source.layout == Layout::ColumnMajor && destination.layout == Layout::ColumnMajor)
    return copy(stream, source.transposed(), destination.transposed());
  move_rows(stream, {.count = destination.rows, .source = source, .destination = destination});
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
