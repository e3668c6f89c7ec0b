#pragma once

#include "gpu/panel_intrinsics.h"
#include "gpu/panel_plan.h"

/// What the threads of one block of the panel kernel share, and how blocks meet.
namespace hpcx::HPCX_GPU_NAMESPACE {

inline constexpr int kWarps = kPanelThreads / kWarp;
/// Columns of U that a block computes at once: one a warp.
inline constexpr int kRightColumns = kWarps;

#if defined(__HIP_PLATFORM_AMD__)
inline constexpr int kStagedDepth = 128;  // 64 KiB of shared memory
#else
inline constexpr int kStagedDepth = 512;
#endif
/// Two more than a multiple of 16: a warp's 16-byte loads of a fragment touch every bank once.
inline constexpr int kStagedStride = kStagedDepth + 2;
inline constexpr int kRightDepth = kStagedDepth * kLeafWidth / kRightColumns;
inline constexpr int kLowerStride = kLeafWidth + 1;

/// A pivot candidate, ordered by |value| (as bits, so that NaN is above all numbers), then lowest
/// row.
struct Candidate {
  unsigned high = 0, low = 0;
  unsigned row_complement = 0;  ///< ~row; 0: no candidate

  __device__ __forceinline__ bool below(const Candidate& other) const {
    if (high != other.high) return high < other.high;
    if (low != other.low) return low < other.low;
    return row_complement < other.row_complement;
  }
  __device__ __forceinline__ int row() const { return static_cast<int>(~row_complement); }
};

struct PanelShared {
  alignas(16) double staged[kLeafWidth * kStagedStride];
  double partial[kWarps * kRightColumns * kLeafWidth];
  double lower[kLeafWidth * kLowerStride];
  double upper[kLeafWidth * kLeafWidth / 2];
  double pivot_row[kLeafWidth];      ///< as the winning block published it
  double displaced_row[kLeafWidth];  ///< the row that the pivot row changes places with
  Candidate of_warp[kWarps];
  Candidate of_grid[kWarps];
  int pivots[kLeafWidth];
};
static_assert(kRightDepth * kRightColumns <= kLeafWidth * kStagedStride);

/// One thread's place, and the rows [row_begin, row_end) that its block owns.
struct Place {
  int row_begin, row_end;

  __device__ explicit Place(const PanelWindow& window)
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
  best.low = warp_max(mine.high == best.high ? mine.low : 0u);
  best.row_complement =
      warp_max(mine.high == best.high && mine.low == best.low ? mine.row_complement : 0u);
  return best;
}

/// The best of the block's candidates in `slots`, in all threads. Holds a block barrier.
__device__ __forceinline__ Candidate reduce_block(const Place& place, Candidate mine,
                                                  Candidate* slots) {
  const Candidate of_warp = reduce_warp(mine);
  if (place.lane() == 0) slots[place.warp()] = of_warp;
  __syncthreads();
  return reduce_warp(slots[place.lane() % kWarps]);
}

__device__ __forceinline__ std::uint64_t stamped(unsigned data, unsigned step) {
  return (static_cast<std::uint64_t>(step) << 32) | data;
}
__device__ __forceinline__ bool has_stamp(std::uint64_t word, unsigned step) {
  return static_cast<unsigned>(word >> 32) == step;
}
__device__ __forceinline__ unsigned data_of(std::uint64_t word) {
  return static_cast<unsigned>(word);
}

__device__ __forceinline__ std::uint64_t bits_of(double value) {
  return static_cast<std::uint64_t>(__double_as_longlong(value));
}

__device__ __forceinline__ void publish_value(std::uint64_t* to, double value, unsigned step) {
  const std::uint64_t bits = bits_of(value);
  publish(to, {stamped(static_cast<unsigned>(bits), step),
               stamped(static_cast<unsigned>(bits >> 32), step)});
}
__device__ __forceinline__ double await_value(const std::uint64_t* from, unsigned step) {
  WordPair pair = observe(from);
  while (!has_stamp(pair.x, step) || !has_stamp(pair.y, step))
    pair = observe(from);
  const std::uint64_t bits = (static_cast<std::uint64_t>(data_of(pair.y)) << 32) | data_of(pair.x);
  return __longlong_as_double(static_cast<long long>(bits));
}

__device__ __forceinline__ void publish_candidate(std::uint64_t* to, Candidate candidate,
                                                  unsigned step) {
  publish(to, {stamped(candidate.high, step), stamped(candidate.low, step)});
  publish(to + 2, {stamped(candidate.row_complement, step), stamped(0, step)});
}
__device__ __forceinline__ Candidate await_candidate(const std::uint64_t* from, unsigned step) {
  WordPair value = observe(from), row = observe(from + 2);
  while (!has_stamp(value.x, step) || !has_stamp(value.y, step) || !has_stamp(row.x, step)) {
    value = observe(from);
    row = observe(from + 2);
  }
  return {data_of(value.x), data_of(value.y), data_of(row.x)};
}

// Two parities suffice: a block publishes step s + 2 only after every block has published s + 1,
// which each does after its last look at step s.
__device__ __forceinline__ std::uint64_t* candidate_words(const PanelWindow& window, unsigned step,
                                                          int block) {
  return window.exchange + (step & 1u) * kParityWords + block * kHeaderWords;
}
__device__ __forceinline__ std::uint64_t* row_words(const PanelWindow& window, unsigned step,
                                                    int block) {
  return window.exchange + (step & 1u) * kParityWords + kMaxPanelBlocks * kHeaderWords +
         block * kRowWords;
}
__device__ __forceinline__ std::uint64_t* displaced_words(const PanelWindow& window,
                                                          unsigned step) {
  return row_words(window, step, kMaxPanelBlocks);
}

/// All blocks of the grid have arrived, and see what each wrote before. Needs all blocks resident.
__device__ __forceinline__ void meet(const PanelWindow& window, const Place& place, unsigned step) {
  auto* flags = reinterpret_cast<unsigned*>(window.exchange + 2 * kParityWords);
  __syncthreads();
  if (place.thread() == 0) {
    __threadfence();
    publish_flag(flags + place.block(), step);
  }
  for (int block = place.thread(); block < place.blocks(); block += kPanelThreads) {
    while (static_cast<int>(observe_flag(flags + block) - step) < 0) {
    }
  }
  __threadfence();
  __syncthreads();
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
