#pragma once

#include "panel/intrinsics.h"
#include "panel/plan.h"

/// Shared memory of the threads of one block of the panel kernel, and their agreement.
namespace hpcx::HPCX_GPU_NAMESPACE {

inline constexpr int kWarps = kPanelThreads / kWarp;
/// Columns of U that a warp computes at once.
inline constexpr int kRightColumns = 8;

#if defined(__HIP_PLATFORM_AMD__)
inline constexpr int kStagedDepth = 128;  // 64 KiB of shared memory
#else
inline constexpr int kStagedDepth = 512;
#endif
/// Two more than a multiple of 16: a warp's 16-byte loads of a fragment touch every bank once.
inline constexpr int kStagedStride = kStagedDepth + 2;
inline constexpr int kLowerStride = kLeafWidth + 1;

/// A pivot candidate, ordered by |value| (as bits, so that NaN is above all numbers), then lowest
/// row.
struct alignas(16) Candidate {
  unsigned high = 0, low = 0;
  unsigned row_complement = 0;  ///< ~row; 0: no candidate

  __device__ __forceinline__ bool below(const Candidate& other) const {
    if (high != other.high) return high < other.high;
    if (low != other.low) return low < other.low;
    return row_complement < other.row_complement;
  }
  __device__ __forceinline__ int row() const { return static_cast<int>(~row_complement); }
  __device__ __forceinline__ double magnitude() const {
    const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32) | low;
    return __longlong_as_double(static_cast<long long>(bits));
  }
};

/// The divisor of a column. It is known, but for the sign, as soon as the pivot is found.
struct PivotDivisor {
  double scale, reciprocal;
  bool divides;  ///< false for zero and NaN
};

struct PanelShared {
  alignas(16) double staged[kLeafWidth * kStagedStride];
  double right[kWarps * kRightColumns * kLeafWidth];  ///< each warp's piece of U above its rows
  double lower[kLeafWidth * kLowerStride];
  double upper[kLeafWidth * kLeafWidth / 2];
  // By the step's parity: a warp may still use one step's row when another fetches the next.
  double pivot_row[2][kLeafWidth];      ///< as the winning block published it
  double active_row[2][kLeafWidth];     ///< the same, zero in finished columns
  double displaced_row[2][kLeafWidth];  ///< the row that the pivot row changes places with
  PivotDivisor divisor[2];              ///< of the pivot
  double own_candidate[kLeafWidth];     ///< the block's own rows on their way to the others
  double own_displaced[kLeafWidth];
  Candidate of_warp[kWarps];
  Candidate of_grid[kWarps];
  int pivots[kLeafWidth];
  int message_from[2 * kLeafWidth];  ///< of each move, the member that sends it by message, or -1
};

/// One thread's place, and the rows [row_begin, row_end) that its block owns.
struct BlockPosition {
  int row_begin, row_end;

  __device__ explicit BlockPosition(const PanelWindow& window)
      : row_begin(window.first + block() * window.rows_per_block),
        row_end(min(row_begin + window.rows_per_block, window.rows)) {}

  __device__ static int thread() { return static_cast<int>(threadIdx.x); }
  __device__ static int lane() { return thread() % kWarp; }
  __device__ static int warp() { return thread() / kWarp; }
  __device__ static int block() { return static_cast<int>(blockIdx.x); }
  __device__ static int blocks() { return static_cast<int>(gridDim.x); }
};

__device__ __forceinline__ double* element(const PanelWindow& window, int row, int col) {
  return window.a + row + col * window.ld;
}

__device__ __forceinline__ Candidate reduce_warp(Candidate mine) {
  Candidate best;
  best.high = warp_max(mine.high);
  const unsigned holders = warp_ballot(mine.high == best.high);
  if ((holders & (holders - 1)) == 0) {  // one alone, nearly always
    const int lane = __ffs(static_cast<int>(holders)) - 1;
    best.low = shuffle(mine.low, lane);
    best.row_complement = shuffle(mine.row_complement, lane);
    return best;
  }
  best.low = warp_max(mine.high == best.high ? mine.low : 0u);
  best.row_complement =
      warp_max(mine.high == best.high && mine.low == best.low ? mine.row_complement : 0u);
  return best;
}

/// The best of the block's candidates in `slots`, in all threads. Holds a block barrier.
__device__ __forceinline__ Candidate reduce_block(const BlockPosition& place, Candidate mine,
                                                  Candidate* slots) {
  const Candidate of_warp = reduce_warp(mine);
  if (place.lane() == 0) slots[place.warp()] = of_warp;
  __syncthreads();
  return reduce_warp(place.lane() < kWarps ? slots[place.lane()] : Candidate{});
}

__device__ __forceinline__ std::uint64_t bits_of(double value) {
  return static_cast<std::uint64_t>(__double_as_longlong(value));
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
