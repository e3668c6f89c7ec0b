#pragma once

#include "panel/shared.h"

/// Blocks of the panel kernel exchange pivot candidates and rows here, and meet.
///
/// Every word carries the step it belongs to, and lies in one of two places by the step's parity.
/// Two parities suffice: a block publishes a word of step s + 2 only after every block has
/// published its candidate of step s + 1, which each does after its last look at the rows of step
/// s.
namespace hpcx::HPCX_GPU_NAMESPACE {

__device__ __forceinline__ std::uint64_t stamped(unsigned data, unsigned step) {
  return (static_cast<std::uint64_t>(step) << 32) | data;
}
__device__ __forceinline__ bool has_stamp(std::uint64_t word, unsigned step) {
  return static_cast<unsigned>(word >> 32) == step;
}
__device__ __forceinline__ unsigned data_of(std::uint64_t word) {
  return static_cast<unsigned>(word);
}

template <class Scope>
__device__ __forceinline__ void publish_value(std::uint64_t* to, double value, unsigned step) {
  const std::uint64_t bits = bits_of(value);
  Scope::publish(to, {stamped(static_cast<unsigned>(bits), step),
                      stamped(static_cast<unsigned>(bits >> 32), step)});
}
/// Begins with what has been observed already.
template <class Scope>
__device__ __forceinline__ double await_value(const std::uint64_t* from, unsigned step,
                                              WordPair pair) {
  while (!has_stamp(pair.x, step) || !has_stamp(pair.y, step))
    pair = Scope::observe(from);
  const std::uint64_t bits = (static_cast<std::uint64_t>(data_of(pair.y)) << 32) | data_of(pair.x);
  return __longlong_as_double(static_cast<long long>(bits));
}

template <class Scope>
__device__ __forceinline__ double await_value(const std::uint64_t* from, unsigned step) {
  return await_value<Scope>(from, step, Scope::observe(from));
}

template <class Scope>
__device__ __forceinline__ void publish_candidate(std::uint64_t* to, Candidate candidate,
                                                  unsigned step) {
  Scope::publish(to, {stamped(candidate.high, step), stamped(candidate.low, step)});
  Scope::publish(to + kCandidateRowWord,
                 {stamped(candidate.row_complement, step), stamped(0, step)});
}
template <class Scope>
__device__ __forceinline__ Candidate await_candidate(const std::uint64_t* from, unsigned step) {
  WordPair value = Scope::observe(from), row = Scope::observe(from + 2);
  while (!has_stamp(value.x, step) || !has_stamp(value.y, step) || !has_stamp(row.x, step)) {
    value = Scope::observe(from);
    row = Scope::observe(from + 2);
  }
  return {data_of(value.x), data_of(value.y), data_of(row.x)};
}

/// All blocks of the device have arrived, and see what each wrote before; a flag for each of them.
__device__ __forceinline__ void meet_through(unsigned* flags, const BlockPosition& place,
                                             unsigned step) {
  __syncthreads();
  if (place.thread() == 0) {
    DeviceScope::fence();
    publish_flag(flags + place.block(), step);
  }
  for (int block = place.thread(); block < place.blocks(); block += kPanelThreads) {
    while (static_cast<int>(observe_flag(flags + block) - step) < 0) {
    }
  }
  DeviceScope::fence();
  __syncthreads();
}

/// For rows that are all the device's own: a row is its name, and a block has one slot.
struct RowsOfOneDevice {
  static constexpr bool kHasPeers = false;
  static constexpr bool kHasGroups = false;
  static constexpr unsigned kMeetSteps = 1;

  /// The first row that may become the pivot of `column`.
  __device__ __forceinline__ static int first_candidate(int column) { return column; }
  /// Whether the top rows are here that pivot rows change places with.
  __device__ __forceinline__ static bool holds_top() { return true; }
  /// The row of a name; negative if it is not here.
  __device__ __forceinline__ static int local_row(int row) { return row; }
  __device__ __forceinline__ static int slot_of(const PanelWindow& window, int row) {
    return block_of(row - window.first, window.block_factor);
  }
  __device__ __forceinline__ static int own_slot(const BlockPosition& place) {
    return place.block();
  }
};

/// Any number of resident blocks, through device memory.
class GridExchange : public RowsOfOneDevice {
 public:
  using Scope = DeviceScope;

  __device__ __forceinline__ explicit GridExchange(const PanelWindow& window)
      : words_(window.exchange) {}

  /// The block's candidate, known to all of its threads.
  __device__ __forceinline__ void offer(const BlockPosition& place, Candidate of_block,
                                        const PivotMeeting& meeting) const {
    if (place.thread() != 0) return;
    if (meeting.last()) DeviceScope::fence();
    publish_candidate<Scope>(candidate(meeting.step, place.block()), of_block, meeting.step);
  }

  /// The best of all blocks' candidates, known to the first warp at least: it awaits them alone
  /// where it can, since polls of all would get in the way of what they wait for.
  __device__ __forceinline__ Candidate best(const BlockPosition& place,
                                            const PivotMeeting& meeting) const {
    Candidate best;
    const bool in_one_warp = place.blocks() <= kWarp;
    if (in_one_warp && place.warp() > 0) return best;
    for (int block = place.thread(); block < place.blocks(); block += kPanelThreads) {
      const Candidate other = await_candidate<Scope>(candidate(meeting.step, block), meeting.step);
      if (best.below(other)) best = other;
    }
    if (meeting.last()) DeviceScope::fence();
    return in_one_warp ? reduce_warp(best) : reduce_block(place, best, place.shared.of_grid);
  }

  /// Place of a block's candidate row, and of the row that it loses.
  __device__ __forceinline__ std::uint64_t* row(unsigned step, int block) const {
    return parity(step) + kMaxPanelBlocks * kHeaderWords + block * kRowWords;
  }
  __device__ __forceinline__ std::uint64_t* displaced_row(unsigned step, int) const {
    return row(step, kMaxPanelBlocks);
  }

  /// Place where the block itself publishes them.
  __device__ __forceinline__ std::uint64_t* own_row(const BlockPosition& place,
                                                    unsigned step) const {
    return row(step, own_slot(place));
  }
  __device__ __forceinline__ std::uint64_t* own_displaced_row(const BlockPosition& place,
                                                              unsigned step) const {
    return displaced_row(step, own_slot(place));
  }
  /// An element of the block's own row goes to all who await it.
  __device__ __forceinline__ void publish(std::uint64_t* to, double value, unsigned step) const {
    publish_value<Scope>(to, value, step);
  }

  /// All blocks have arrived, and see what each wrote before.
  __device__ __forceinline__ void meet(const BlockPosition& place, unsigned step) const {
    meet_through(reinterpret_cast<unsigned*>(words_ + 2 * kParityWords), place, step);
  }

 private:
  __device__ __forceinline__ std::uint64_t* parity(unsigned step) const {
    return words_ + (step & 1u) * kParityWords;
  }
  __device__ __forceinline__ std::uint64_t* candidate(unsigned step, int block) const {
    return parity(step) + block * kHeaderWords;
  }

  std::uint64_t* words_;
};

#if defined(HPCX_PANEL_CLUSTER)

/// The blocks of one cluster, through their shared memories: a block receives all candidates in its
/// own, and fetches the rows from their owner's.
class ClusterExchange : public RowsOfOneDevice {
 public:
  using Scope = ClusterScope;
  static constexpr int kWords = 2 * (kMaxClusterBlocks * kHeaderWords + 2 * kRowWords);

  __device__ __forceinline__ explicit ClusterExchange(unsigned char* memory)
      : words_(reinterpret_cast<std::uint64_t*>(memory)) {
    for (int i = BlockPosition::thread(); i < kWords; i += kPanelThreads)
      words_[i] = 0;
    cluster_barrier();
  }

  __device__ __forceinline__ void offer(const BlockPosition& place, Candidate of_block,
                                        const PivotMeeting& meeting) const {
    if (place.thread() >= place.blocks()) return;
    if (meeting.last()) DeviceScope::fence();
    publish_candidate<Scope>(of_peer(candidate(meeting.step, place.block()), place.thread()),
                             of_block, meeting.step);
  }

  __device__ __forceinline__ Candidate best(const BlockPosition& place,
                                            const PivotMeeting& meeting) const {
    static_assert(kMaxClusterBlocks <= kWarp);
    Candidate best;
    if (place.warp() > 0) return best;
    if (place.lane() < place.blocks())
      best = await_candidate<OwnClusterScope>(candidate(meeting.step, place.lane()), meeting.step);
    if (meeting.last()) DeviceScope::fence();
    return reduce_warp(best);
  }

  __device__ __forceinline__ std::uint64_t* row(unsigned step, int block) const {
    return of_peer(own_row(step), block);
  }
  __device__ __forceinline__ std::uint64_t* displaced_row(unsigned step, int block) const {
    return of_peer(own_row(step) + kRowWords, block);
  }
  __device__ __forceinline__ std::uint64_t* own_row(const BlockPosition&, unsigned step) const {
    return own_row(step);
  }
  __device__ __forceinline__ std::uint64_t* own_displaced_row(const BlockPosition&,
                                                              unsigned step) const {
    return own_row(step) + kRowWords;
  }

  /// To the block's own memory, from which the others fetch it.
  __device__ __forceinline__ void publish(std::uint64_t* to, double value, unsigned step) const {
    publish_value<OwnClusterScope>(to, value, step);
  }

  __device__ __forceinline__ void meet(const BlockPosition&, unsigned) const { cluster_barrier(); }

 private:
  __device__ __forceinline__ std::uint64_t* parity(unsigned step) const {
    return words_ + (step & 1u) * (kWords / 2);
  }
  __device__ __forceinline__ std::uint64_t* candidate(unsigned step, int block) const {
    return parity(step) + block * kHeaderWords;
  }
  __device__ __forceinline__ std::uint64_t* own_row(unsigned step) const {
    return parity(step) + kMaxClusterBlocks * kHeaderWords;
  }

  std::uint64_t* words_;
};

#endif

}  // namespace hpcx::HPCX_GPU_NAMESPACE
