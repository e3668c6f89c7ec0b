#pragma once

#include <cstdint>

#include "cuda/emulation_tiles.h"

// The work of a thread block of the wgmma kernel: who loads and multiplies what and when, over the
// instructions of a chip. Plain C++, so that a test runs it on a model of the chip.
//
// A block has one warpgroup that loads and two that multiply, each 64 rows of a tile of 128. Stages
// of 128 bytes of the inner dimension go round: the copy engine fills one when both warpgroups of
// all blocks of the cluster have read it. The two warpgroups wait for stages, never for each other:
// while one reduces its sums modulo m and stores bytes, the other goes on with stages that are
// there, and the tensor cores stay busy. Blocks of a cluster work on tiles one below the other and
// share B: each loads a part for all.

#ifdef __CUDACC__
#define HPCX_PIPELINE_FUNCTION __device__ inline
#else
#define HPCX_PIPELINE_FUNCTION inline
#endif

namespace hpcx::gpu_cuda::emulation {

inline constexpr int kTileRows = 128, kWarpgroupRows = 64, kStepBytes = 128, kSliceBytes = 32;
inline constexpr int kBoxLines = 128, kBoxBytes = kBoxLines * kStepBytes;
inline constexpr int kRingAlignment = 1024;  // the swizzle repeats every eight lines of 128 bytes
inline constexpr int kMostShared = 227 * 1024;

/// Layout of shared memory: stages, then their barriers. A stage has 128 lines of A, then the lines
/// of B.
template <int kColumns, int kCluster>
struct Ring {
  static constexpr int kBarrierBytes = 1024;
  static constexpr int kStageBytes = (kTileRows + kColumns) * kStepBytes;
  static constexpr int kStages = (kMostShared - kRingAlignment - kBarrierBytes) / kStageBytes;
  static constexpr int kBytes = kRingAlignment + kStages * kStageBytes + kBarrierBytes;
  /// Lines of B in a box: a block's part for its cluster, else one box after the other.
  static constexpr int kLinesOfB = kCluster > 1 ? kColumns / kCluster : kBoxLines;
  static_assert(kStages >= 2 && kLinesOfB <= 256 && kLinesOfB * kStepBytes % kRingAlignment == 0);
  static_assert(2 * kStages * 8 <= kBarrierBytes);

  /// Arrivals that end a phase: the loading thread's; two warpgroups of each block's.
  static constexpr unsigned kFullArrivals = 1, kEmptyArrivals = 2 * kCluster;

  unsigned base;  ///< a multiple of kRingAlignment
  HPCX_TILE_FUNCTION constexpr unsigned stage(int s) const {
    return base + static_cast<unsigned>(s * kStageBytes);
  }
  HPCX_TILE_FUNCTION constexpr unsigned full(int s) const {
    return base + static_cast<unsigned>(kStages * kStageBytes + 8 * s);
  }
  HPCX_TILE_FUNCTION constexpr unsigned empty(int s) const { return full(kStages + s); }
};

/// A stage of the ring, and in which parity of its barriers it is.
template <int kStages>
struct RingPlace {
  int stage = 0;
  unsigned parity = 0;
  HPCX_TILE_FUNCTION constexpr void advance() {
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// Descriptor of an operand for wgmma. Its lines of 128 bytes, in the 128-byte swizzle, lie eight
/// by eight one after the other. PTX ISA, "Matrix Descriptor Format" of wgmma.
HPCX_TILE_FUNCTION constexpr std::uint64_t matrix_descriptor(unsigned address) {
  constexpr std::uint64_t kSwizzle128 = 1, kEightLines = 1024, kLeading = 1;  // the last is ignored
  return kSwizzle128 << 62 | kEightLines >> 4 << 32 | kLeading << 16 |
         (std::uint64_t{address} & 0x3ffff) >> 4;
}
/// Descriptors that lie so many bytes further in each line.
HPCX_TILE_FUNCTION constexpr std::uint64_t advanced(std::uint64_t descriptor, int bytes) {
  return descriptor + static_cast<std::uint64_t>(bytes >> 4);
}

/// The work of a launch.
struct Work {
  std::uint32_t tall, wide, tiles;  // tall and tiles: of clusters
  std::uint32_t resident, run;      // see tiles_of_block(); of clusters
  int steps;
  std::int64_t rows, pitch, plane;
  std::int8_t* out;
};

enum class Operand { A, B };
/// A load of the box at (k, line, plane) of an operand.
struct Box {
  unsigned to, barrier;
  int k, line, plane;
};
/// A thread block: its ring, its cluster and its place there.
struct BlockPlace {
  unsigned base;
  std::uint32_t cluster;
  unsigned block;
};

/// The thread that loads.
template <int kColumns, int kCluster, class Chip>
HPCX_PIPELINE_FUNCTION void load_tiles(Chip& chip, const Work& work, const BlockPlace& of) {
  using Sizes = Ring<kColumns, kCluster>;
  const Sizes ring{of.base};
  RingPlace<Sizes::kStages> place;
  const TileRange range = tiles_of_block(of.cluster, work.resident, work.run, work.tiles);
  for (std::uint32_t tile = range.first; tile < range.end; tile += range.stride) {
    const TilePlace at = tile_place(tile, work.tall, work.wide);
    const int plane = static_cast<int>(at.modulus);
    const int row = static_cast<int>((at.row * kCluster + of.block) * kTileRows);
    const int column = static_cast<int>(at.column * kColumns);
    for (int step = 0; step < work.steps; ++step) {
      // Passes at once in the first round: the phase before the first counts as over.
      chip.barrier_wait(ring.empty(place.stage), place.parity ^ 1);
      const unsigned stage = ring.stage(place.stage), barrier = ring.full(place.stage);
      // The loads of other blocks for this one may arrive earlier. The phase waits for this.
      chip.barrier_expect(barrier, Sizes::kStageBytes);
      const int k = step * kStepBytes;
      chip.load_box(Operand::A, {stage, barrier, k, row, plane});
      if constexpr (kCluster == 1) {
        for (int box = 0; box < kColumns / kBoxLines; ++box)
          chip.load_box(Operand::B, {stage + (1 + box) * kBoxBytes, barrier, k,
                                     column + box * kBoxLines, plane});
      } else {
        const int part = static_cast<int>(of.block) * Sizes::kLinesOfB;
        chip.load_box_for(Operand::B,
                          {stage + kBoxBytes + part * kStepBytes, barrier, k, column + part, plane},
                          (1 << kCluster) - 1);
      }
      place.advance();
    }
  }
}

/// A warpgroup that multiplies, 0 or 1.
template <int kColumns, int kCluster, class Chip>
HPCX_PIPELINE_FUNCTION void multiply_tiles(Chip& chip, const Work& work, const BlockPlace& of,
                                           unsigned warpgroup) {
  using Sizes = Ring<kColumns, kCluster>;
  const Sizes ring{of.base};
  RingPlace<Sizes::kStages> place;
  typename Chip::template Sums<kColumns> sums;
  const TileRange range = tiles_of_block(of.cluster, work.resident, work.run, work.tiles);
  for (std::uint32_t tile = range.first; tile < range.end; tile += range.stride) {
    const TilePlace at = tile_place(tile, work.tall, work.wide);
    int last = -1;  // the stage that is being read
    for (int step = 0; step < work.steps; ++step) {
      chip.barrier_wait(ring.full(place.stage), place.parity);
      const unsigned stage = ring.stage(place.stage);
      const std::uint64_t a = matrix_descriptor(stage + warpgroup * kWarpgroupRows * kStepBytes);
      const std::uint64_t b = matrix_descriptor(stage + kBoxBytes);
      chip.fence();
      for (int k = 0; k < kStepBytes; k += kSliceBytes)
        chip.template multiply<kColumns>(sums, advanced(a, k), advanced(b, k), step > 0 || k > 0);
      chip.commit();
      // The stage before this has been read when only this one's products are under way.
      chip.template wait<1>();
      if (last >= 0) chip.template release<kCluster>(ring.empty(last));
      last = place.stage;
      place.advance();
    }
    chip.template wait<0>();
    chip.arrived(sums);
    chip.template release<kCluster>(ring.empty(last));
    chip.template store<kColumns>(
        work, at,
        std::int64_t{at.row * kCluster + of.block} * kTileRows + warpgroup * kWarpgroupRows, sums);
  }
}

/// Places of a lane's bytes: rows and columns of its warpgroup's part of the tile. Sum 4 j + 2 half
/// + i is that of column 8 j + 2 (lane % 4) + i in row 16 warp + lane / 4 + 8 half. PTX ISA,
/// "Register Fragments" of wgmma.
struct LaneRows {
  unsigned row, column;  ///< of half 0, before the quad's exchange of group 0
};
HPCX_TILE_FUNCTION constexpr LaneRows lane_rows(unsigned thread) {
  return {thread % 128 / 32 * 16 + thread % 32 / 4, thread % 4 * 8};
}
/// The sums of four groups of eight columns from group j on that a lane has of one of its rows.
template <int kSums>
HPCX_TILE_FUNCTION constexpr void sums_of_groups(const std::int32_t (&sums)[kSums], int j, int half,
                                                 std::int32_t (&values)[8]) {
  for (int group = 0; group < 4; ++group)
    for (int i = 0; i < 2; ++i)
      values[2 * group + i] = sums[4 * (j + group) + 2 * half + i];
}

}  // namespace hpcx::gpu_cuda::emulation
