#include "cuda/mixed_diagonal.h"

#include "cuda/base_block.h"
#include "cuda/mixed_numbers.h"
#include "gpu/launch.h"

namespace hpcx::gpu_cuda::diagonal {

namespace {

// --- Copies between formats and layouts ----------------------------------------------------------

constexpr int kTile = 32, kTileRows = kThreads / kTile;

/// The block in its own format; the identity beyond.
template <class T>
struct Padded {
  BasicMatrixView<const T> block;
  __device__ bool by_rows(std::int64_t, std::int64_t) const {
    return block.layout == Layout::RowMajor;
  }
  __device__ float operator()(std::int64_t i, std::int64_t j) const {
    if (i < block.rows && j < block.cols) return static_cast<float>(block(i, j));
    return i == j ? 1.0F : 0.0F;
  }
};

/// L and U, before they are inverted.
struct Factors {
  Workspace work;
  __device__ bool by_rows(std::int64_t i, std::int64_t j) const { return i / kBase < j / kBase; }
  __device__ float operator()(std::int64_t i, std::int64_t j) const {
    if (by_rows(i, j)) return work.upper[i * work.edge + j];
    return (i / kBase == j / kBase ? work.matrix : work.lower)[i + j * work.edge];
  }
};

/// A square times result->scale, or as it is.
struct Scaled {
  BasicMatrixView<const float> square;
  const DiagonalResult* result;
  __device__ bool by_rows(std::int64_t, std::int64_t) const {
    return square.layout == Layout::RowMajor;
  }
  __device__ float operator()(std::int64_t i, std::int64_t j) const {
    return square(i, j) * (result != nullptr ? result->scale : 1.0F);
  }
};

/// destination := source, both read and written along their lines.
template <class Source, class T>
__global__ void __launch_bounds__(kThreads) copy_tiles(Source source, BasicMatrixView<T> out) {
  __shared__ float tile[kTile][kTile + 1];  // [row][column]
  const std::int64_t tiles_down = ceil_div(out.rows, kTile);
  const std::int64_t i0 = blockIdx.x % tiles_down * kTile, j0 = blockIdx.x / tiles_down * kTile;
  const int fast = threadIdx.x % kTile, first = threadIdx.x / kTile;
  const bool from_rows = source.by_rows(i0, j0), to_rows = out.layout == Layout::RowMajor;
#pragma unroll
  for (int slow = first; slow < kTile; slow += kTileRows) {
    const int i = from_rows ? slow : fast, j = from_rows ? fast : slow;
    if (i0 + i < out.rows && j0 + j < out.cols) tile[i][j] = source(i0 + i, j0 + j);
  }
  __syncthreads();
#pragma unroll
  for (int slow = first; slow < kTile; slow += kTileRows) {
    const int i = to_rows ? slow : fast, j = to_rows ? fast : slow;
    if (i0 + i < out.rows && j0 + j < out.cols) out(i0 + i, j0 + j) = rounded<T>(tile[i][j]);
  }
}

template <class Source, class T>
void launch_copy(cudaStream_t stream, const Source& source, BasicMatrixView<T> out) {
  const std::int64_t tiles = ceil_div(out.rows, kTile) * ceil_div(out.cols, kTile);
  copy_tiles<<<grid_size(tiles), kThreads, 0, stream>>>(source, out);
  HPCX_CHECK_LAUNCH("copy_tiles");
}
template <class Source>
void launch_copy(cudaStream_t stream, const Source& source, MixedView out) {
  with_type(out.precision,
            [&]<class T>(std::type_identity<T>) { launch_copy(stream, source, out.as<T>()); });
}

__global__ void begin(DiagonalResult* result) {
  *result = {};
}

// --- Scale ---------------------------------------------------------------------------------------

/// Sums of |U^-1| over the rows of a base block, for each column.
__global__ void __launch_bounds__(kBaseEdge) sum_columns(Workspace work) {
  const std::int64_t tiles = work.edge / kBase;
  const std::int64_t of_rows = blockIdx.x / tiles, of_columns = blockIdx.x % tiles;
  const std::int64_t j = of_columns * kBase + threadIdx.x;
  double sum = 0;
  if (of_rows <= of_columns)
#pragma unroll 8
    for (int i = 0; i < kBaseEdge; ++i)
      sum += fabsf(work.upper[(of_rows * kBase + i) * work.edge + j]);
  work.sums[of_rows * work.edge + j] = sum;
}

/// The power of two that brings `largest` into (1/2, 1], as far as floats reach; 1 for no number.
__device__ float unit_scale(double largest) {
  if (!(largest > 0) || isinf(largest)) return 1;
  int exponent = 0;
  const double mantissa = frexp(largest, &exponent);
  const int power = mantissa == 0.5 ? 1 - exponent : -exponent;
  return ldexpf(1.0F, power < -126 ? -126 : power > 127 ? 127 : power);
}

__global__ void __launch_bounds__(1024) find_scale(Workspace work, DiagonalResult* result) {
  __shared__ double largest[1024];
  double most = 0;
  for (std::int64_t j = threadIdx.x; j < work.width; j += 1024) {
    double sum = 0;
    for (std::int64_t rows = 0; rows < work.edge / kBase; ++rows)
      sum += work.sums[rows * work.edge + j];
    if (!(sum <= most)) most = sum;
  }
  largest[threadIdx.x] = most;
  for (unsigned half = 512; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half && !(largest[threadIdx.x + half] <= largest[threadIdx.x]))
      largest[threadIdx.x] = largest[threadIdx.x + half];
  }
  if (threadIdx.x == 0) result->scale = unit_scale(largest[0]);
}

}  // namespace

void launch_load(cudaStream_t stream, MixedView block, const Workspace& work,
                 DiagonalResult* result) {
  begin<<<1, 1, 0, stream>>>(result);
  HPCX_CHECK_LAUNCH("begin");
  const BasicMatrixView<float> matrix{work.matrix, work.edge, work.edge, work.edge,
                                      Layout::ColumnMajor};
  with_type(block.precision, [&]<class T>(std::type_identity<T>) {
    launch_copy(stream, Padded<T>{block.as<const T>()}, matrix);
  });
}

void launch_base(cudaStream_t stream, const Workspace& work, std::int64_t first,
                 DiagonalResult* result) {
  factorize_base<<<1, kBaseThreads, 0, stream>>>(work, first, result);
  HPCX_CHECK_LAUNCH("factorize_base");
}

void launch_store(cudaStream_t stream, const Workspace& work, MixedView block) {
  launch_copy(stream, Factors{work}, block);
}

void launch_scale(cudaStream_t stream, const Workspace& work, DiagonalResult* result) {
  const std::int64_t tiles = work.edge / kBase;
  sum_columns<<<grid_size(tiles * tiles), kBaseEdge, 0, stream>>>(work);
  HPCX_CHECK_LAUNCH("sum_columns");
  find_scale<<<1, 1024, 0, stream>>>(work, result);
  HPCX_CHECK_LAUNCH("find_scale");
}

void launch_inverses(cudaStream_t stream, const Workspace& work, const DiagonalBlock& to) {
  const std::int64_t n = work.width, ld = work.edge;
  launch_copy(stream, Scaled{{work.lower, n, n, ld, Layout::ColumnMajor}, nullptr},
              to.inverse_lower);
  launch_copy(stream, Scaled{{work.upper, n, n, ld, Layout::RowMajor}, to.result},
              to.inverse_upper);
}

}  // namespace hpcx::gpu_cuda::diagonal
