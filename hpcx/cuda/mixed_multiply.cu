#include "cuda/cuda_mixed.h"
#include "cuda/mixed_elements.h"
#include "cuda/partial_sums.h"

namespace hpcx::gpu_cuda {

namespace {

using generator::Jump;

constexpr int kWarp = 32, kWarps = kThreads / kWarp;
constexpr int kRowsPerThread = 4;
constexpr int kRows = kWarp * kRowsPerThread;  // of a block, whose warps share the columns

/// Jumps of 1, 2, 4, ... steps.
struct Powers {
  Jump of[64];
};
constexpr Powers powers_of_two() {
  Powers powers{};
  powers.of[0] = {generator::kMultiplier, generator::kIncrement};
  for (int bit = 1; bit < 64; ++bit)
    powers.of[bit] = powers.of[bit - 1].then(powers.of[bit - 1]);
  return powers;
}
__constant__ const Powers kPowers = powers_of_two();

__device__ std::uint64_t advanced(std::uint64_t state, std::uint64_t steps) {
  for (int bit = 0; steps != 0; ++bit, steps >>= 1)
    if (steps & 1) state = kPowers.of[bit](state);
  return state;
}

/// jump(state) in three instructions: the compiler's own way takes four.
__device__ std::uint64_t stepped(Jump jump, std::uint64_t state) {
  const auto low = static_cast<std::uint32_t>(state),
             high = static_cast<std::uint32_t>(state >> 32);
  const auto low_factor = static_cast<std::uint32_t>(jump.multiplier);
  const auto high_factor = static_cast<std::uint32_t>(jump.multiplier >> 32);
  const std::uint64_t wide = std::uint64_t{low} * low_factor + jump.increment;
  auto top = static_cast<std::uint32_t>(wide >> 32);
  asm("mad.lo.u32 %0, %1, %2, %0;" : "+r"(top) : "r"(low), "r"(high_factor));
  asm("mad.lo.u32 %0, %1, %2, %0;" : "+r"(top) : "r"(high), "r"(low_factor));
  return std::uint64_t{top} << 32 | static_cast<std::uint32_t>(wide);
}

/// Elements of the diagonal in the sum.
enum class OnDiagonal { Absent, Added, LeftOut };

struct Factors {
  IndexMap rows, cols;
  std::int64_t order, count, columns;
  const double* x;
  Jump next_column, over_gap;  ///< by a column; to the next block of columns from the end of one
};

/// The rows of a thread: their elements' states, and sums.
struct OwnRows {
  std::int64_t row[kRowsPerThread];
  std::uint64_t state[kRowsPerThread];
  double sum[kRowsPerThread] = {};
};
/// Local columns [first, end).
struct Columns {
  std::int64_t first, end;
};

/// Adds elements of A in the rows of this thread, times x or as absolute values.
template <bool kAbsolute, OnDiagonal kDiagonal, class Elements>
__device__ void add_columns(const Factors& by, const Elements& elements, Columns columns,
                            OwnRows& own) {
  auto& [row, state, sum] = own;
  auto [first, end] = columns;
  std::int64_t in_block = first % by.cols.block;
  std::int64_t column = by.cols(first);
  while (first < end) {
    const std::int64_t left = by.cols.block - in_block;
    const std::int64_t run = left < end - first ? left : end - first;
    const std::int64_t stop = column + run;
#pragma unroll 4
    for (; column < stop; ++column) {
      const double factor = kAbsolute ? 1.0 : by.x[column];
#pragma unroll
      for (int r = 0; r < kRowsPerThread; ++r) {
        double element = elements.beside(state[r], row[r], column);
        if constexpr (kDiagonal != OnDiagonal::Absent)
          if (row[r] == column)
            element = kDiagonal == OnDiagonal::Added ? elements.on_diagonal(state[r], column) : 0;
        sum[r] = kAbsolute ? sum[r] + fabs(element) : fma(element, factor, sum[r]);
        state[r] = stepped(by.next_column, state[r]);
      }
    }
#pragma unroll
    for (int r = 0; r < kRowsPerThread; ++r)
      state[r] = by.over_gap(state[r]);
    column += by.cols.stride - by.cols.block;
    first += run;
    in_block = 0;
  }
}

/// Warps of a block share the columns of its segment; a thread has the same rows as its lane in
/// other warps. Columns that hold none of its rows' diagonal need no comparison.
template <bool kAbsolute, bool kLeavesOut, class Elements>
__global__ void __launch_bounds__(kThreads)
    sum_elements(Factors by, Elements elements, PartialSums<double> partial) {
  __shared__ double of_warp[kWarps][kRows];
  const std::int64_t tile = blockIdx.x % partial.tiles;
  const std::int64_t segment = blockIdx.x / partial.tiles;
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const std::int64_t share = partial.columns / kWarps;
  const std::int64_t first = segment * partial.columns + warp * share;
  const std::int64_t end = first + share < by.columns ? first + share : by.columns;

  OwnRows own;
  auto& [row, state, sum] = own;
  if (first < end) {
    const std::int64_t column = by.cols(first), last_column = by.cols(end - 1);
    bool crosses = false;
    const std::uint64_t start =
        advanced(elements.seed, 1 + static_cast<std::uint64_t>(column * by.order));
#pragma unroll
    for (int r = 0; r < kRowsPerThread; ++r) {
      const std::int64_t local = tile * kRows + r * kWarp + lane;
      row[r] = by.rows(local < by.count ? local : by.count - 1);
      state[r] = advanced(start, static_cast<std::uint64_t>(row[r]));
      crosses |= row[r] >= column && row[r] <= last_column;
    }
    constexpr OnDiagonal kThere = kLeavesOut ? OnDiagonal::LeftOut : OnDiagonal::Added;
    if (crosses)
      add_columns<kAbsolute, kThere>(by, elements, {first, end}, own);
    else
      add_columns<kAbsolute, OnDiagonal::Absent>(by, elements, {first, end}, own);
  }
#pragma unroll
  for (int r = 0; r < kRowsPerThread; ++r)
    of_warp[warp][r * kWarp + lane] = sum[r];
  __syncthreads();
  const std::int64_t local = tile * kRows + threadIdx.x;
  if (threadIdx.x >= kRows || local >= by.count) return;
  double all = 0;
  for (int w = 0; w < kWarps; ++w)
    all += of_warp[w][threadIdx.x];
  partial.sums[segment * by.count + local] = all;
}

template <bool kAbsolute, bool kLeavesOut>
void add_products(StreamRef stream, const MixedRowSums& all, const double* x) {
  const auto& [matrix, rows, cols] = all.part;
  if (all.rows == 0 || all.cols == 0) return;
  const auto order = static_cast<std::uint64_t>(matrix.order);
  const Jump gap = generator::jump(order * static_cast<std::uint64_t>(cols.stride - cols.block));
  const Factors by{rows, cols, matrix.order, all.rows, all.cols, x, generator::jump(order), gap};
  GpuStream& state = activate(stream);
  const PartialSums<double> partial(state, {by.count, by.columns, kRows, 64 * kWarps});
  with_elements(matrix, false, [&](const auto& elements) {
    sum_elements<kAbsolute, kLeavesOut>
        <<<partial.grid(), kThreads, 0, state.native()>>>(by, elements, partial);
    HPCX_CHECK_LAUNCH("sum_elements");
  });
  partial.add(state.native(), 1.0, all.sums);
}

}  // namespace

void CudaMixed::multiply(StreamRef stream, const MixedRowSums& y, const double* x) {
  add_products<false, false>(stream, y, x);
}

void CudaMixed::row_sums(StreamRef stream, const MixedRowSums& sums, bool diagonal) {
  if (diagonal)
    add_products<true, false>(stream, sums, nullptr);
  else
    add_products<true, true>(stream, sums, nullptr);
}

}  // namespace hpcx::gpu_cuda
