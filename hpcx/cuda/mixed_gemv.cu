#include "cuda/cuda_mixed.h"
#include "cuda/mixed_numbers.h"
#include "cuda/partial_sums.h"
#include "gpu/pack.h"

namespace hpcx::gpu_cuda {

namespace {

constexpr int kWarp = 32, kWarps = kThreads / kWarp;

template <class T>
struct Operands {
  const T* a;
  std::int64_t ld, rows, cols;
  const float* x;
};

/// A by rows: a warp has kRows of them and reads each along its columns; x is read once for all.
template <int kPack, int kRows, class T>
__global__ void __launch_bounds__(kThreads)
    multiply_along(Operands<T> of, PartialSums<float> partial) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const std::int64_t row = (blockIdx.x % partial.tiles * kWarps + warp) * kRows;
  const std::int64_t segment = blockIdx.x / partial.tiles;
  const std::int64_t first = segment * partial.columns;
  const std::int64_t end = first + partial.columns < of.cols ? first + partial.columns : of.cols;
  const T* line[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r)
    line[r] = of.a + (row + r < of.rows ? row + r : of.rows - 1) * of.ld;
  float sum[kRows] = {};
  std::int64_t column = first + lane * kPack;
#pragma unroll 2
  for (; column + kPack <= end; column += kWarp * kPack) {
    Pack<T, kPack> element[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      element[r] = load<kPack>(line[r] + column);
    const auto x = load<kPack>(of.x + column);
#pragma unroll
    for (int r = 0; r < kRows; ++r)
#pragma unroll
      for (int p = 0; p < kPack; ++p)
        sum[r] += static_cast<float>(element[r].element[p]) * x.element[p];
  }
  for (; column < end; ++column)  // of the lane that has the rest
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      sum[r] += static_cast<float>(line[r][column]) * of.x[column];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
      sum[r] += __shfl_xor_sync(0xffffffff, sum[r], distance);
    if (lane == r && row + r < of.rows) partial.sums[segment * of.rows + row + r] = sum[r];
  }
}

/// A by columns: a lane has kPack neighbouring rows, and the warps of a block every eighth column.
template <int kPack, class T>
__global__ void __launch_bounds__(kThreads)
    multiply_across(Operands<T> of, PartialSums<float> partial) {
  constexpr int kRows = kWarp * kPack;
  __shared__ float of_warp[kWarps][kRows];
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const std::int64_t tile = blockIdx.x % partial.tiles;
  const std::int64_t segment = blockIdx.x / partial.tiles;
  const std::int64_t first = segment * partial.columns;
  const std::int64_t end = first + partial.columns < of.cols ? first + partial.columns : of.cols;
  const std::int64_t row = tile * kRows + lane * kPack;
  float sum[kPack] = {};
  if (row + kPack <= of.rows) {
#pragma unroll 4
    for (std::int64_t column = first + warp; column < end; column += kWarps) {
      const auto element = load<kPack>(of.a + column * of.ld + row);
      const float x = of.x[column];
#pragma unroll
      for (int p = 0; p < kPack; ++p)
        sum[p] += static_cast<float>(element.element[p]) * x;
    }
  } else {
    for (std::int64_t column = first + warp; column < end; column += kWarps)
#pragma unroll
      for (int p = 0; p < kPack; ++p)
        if (row + p < of.rows)
          sum[p] += static_cast<float>(of.a[column * of.ld + row + p]) * of.x[column];
  }
#pragma unroll
  for (int p = 0; p < kPack; ++p)
    of_warp[warp][lane * kPack + p] = sum[p];
  __syncthreads();
  for (int i = threadIdx.x; i < kRows && tile * kRows + i < of.rows; i += kThreads) {
    float all = 0;
    for (int w = 0; w < kWarps; ++w)
      all += of_warp[w][i];
    partial.sums[segment * of.rows + tile * kRows + i] = all;
  }
}

template <int kPack, class T>
void add_product(GpuStream& stream, const MixedVectorProduct& product) {
  const auto& [alpha, a, x, y] = product;
  const cudaStream_t native = stream.native();
  const Operands<T> of{static_cast<const T*>(a.data), a.ld, a.rows, a.cols, x};
  constexpr std::int64_t kLeastColumns = 512;
  if (a.layout == Layout::RowMajor) {
    constexpr int kRows = 4;
    const PartialSums<float> partial(stream, {a.rows, a.cols, kWarps * kRows, kLeastColumns});
    multiply_along<kPack, kRows><<<partial.grid(), kThreads, 0, native>>>(of, partial);
    HPCX_CHECK_LAUNCH("multiply_along");
    partial.add(native, alpha, y);
  } else {
    const PartialSums<float> partial(stream, {a.rows, a.cols, kWarp * kPack, kLeastColumns});
    multiply_across<kPack><<<partial.grid(), kThreads, 0, native>>>(of, partial);
    HPCX_CHECK_LAUNCH("multiply_across");
    partial.add(native, alpha, y);
  }
}

}  // namespace

void CudaMixed::gemv(StreamRef stream, const MixedVectorProduct& product) {
  const MixedView& a = product.a;
  if (a.empty()) return;
  GpuStream& state = activate(stream);
  const bool by_vectors =
      lines_begin_at(a, 16) && reinterpret_cast<std::uintptr_t>(product.x) % 16 == 0;
  with_type(a.precision, [&]<class T>(std::type_identity<T>) {
    if (by_vectors)
      add_product<16 / sizeof(T), T>(state, product);
    else
      add_product<1, T>(state, product);
  });
}

}  // namespace hpcx::gpu_cuda
