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

/// A column's exchange of rows and elimination, as every thread of a block needs them.
struct PivotRows {
  double* pivot;      ///< as the winning block published it
  double* active;     ///< the same, zero in finished columns
  double* displaced;  ///< the row that the pivot row changes places with
  PivotDivisor* divisor;
};

struct PanelShared {
  alignas(16) double staged[kLeafWidth * kStagedStride];
  double right[kWarps * kRightColumns * kLeafWidth];  ///< each warp's piece of U above its rows
  double lower[kLeafWidth * kLowerStride];
  double upper[kLeafWidth * kLeafWidth / 2];
  // By the step's parity: a warp may still use one step's row when another fetches the next.
  double pivot_row[2][kLeafWidth];
  double active_row[2][kLeafWidth];
  double displaced_row[2][kLeafWidth];
  PivotDivisor divisor[2];
  double own_candidate[kLeafWidth];  ///< the block's own rows on their way to the others
  double own_displaced[kLeafWidth];
  Candidate of_warp[kWarps];
  Candidate of_grid[kWarps];
  int pivots[kLeafWidth];
  MovedRow moved_rows[kMovedRows];  ///< the moves of an exchange of rows

  __device__ __forceinline__ PivotRows rows(unsigned step) {
    const unsigned parity = step & 1u;
    return {pivot_row[parity], active_row[parity], displaced_row[parity], &divisor[parity]};
  }
};

/// Adjacent columns of the panel, from the one whose diagonal element is in row `top`.
struct PanelColumns {
  int top, count;

  __device__ __forceinline__ int end() const { return top + count; }
  /// The column that is number `other` of all but these.
  __device__ __forceinline__ int outside(int other) const {
    return other < top ? other : other + count;
  }
};

/// One thread's place in a launch: the window of the panel, the rows [row_begin, row_end) that its
/// block owns, and the block's shared memory.
struct BlockPosition {
  const PanelWindow& window;
  PanelShared& shared;
  int row_begin, row_end;

  __device__ BlockPosition(const PanelWindow& of, PanelShared& memory)
      : window(of),
        shared(memory),
        row_begin(of.first + block() * of.rows_per_block),
        row_end(min(row_begin + of.rows_per_block, of.rows)) {}

  __device__ static int thread() { return static_cast<int>(threadIdx.x); }
  __device__ static int lane() { return thread() % kWarp; }
  __device__ static int warp() { return thread() / kWarp; }
  __device__ static int block() { return static_cast<int>(blockIdx.x); }
  __device__ static int blocks() { return static_cast<int>(gridDim.x); }

  __device__ __forceinline__ double* element(int row, int col) const {
    return window.a + row + col * window.ld;
  }
};

/// The meeting of all blocks for the pivot of a column.
struct PivotMeeting {
  int column;
  unsigned step;
  int left;  ///< columns in registers that are not finished, this one included

  /// The last one of the columns in registers: rows that were written before become visible.
  __device__ __forceinline__ bool last() const { return left == 1; }
};

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
