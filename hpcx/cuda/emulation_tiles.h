#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "emulation/arithmetic.h"

// What the kernels of residue products share: the order of tiles, and what leaves the chip.

namespace hpcx::gpu_cuda::emulation {

struct Moduli {
  std::int32_t modulus[kMostModuli];
  std::int32_t reciprocal[kMostModuli];
};
inline Moduli moduli_of(int count) {
  Moduli all{};
  for (int m = 0; m < count; ++m) {
    const auto& reduction = hpcx::emulation::constants(count).reductions[std::size_t(m)];
    all.modulus[m] = reduction.modulus;
    all.reciprocal[m] = reduction.reciprocal;
  }
  return all;
}

struct TilePlace {
  int modulus;
  std::int64_t row, column;  // in tiles
};
/// One modulus after the other; of each, bands of 16 tiles of rows, column by column: what runs at
/// one time needs few lines of both operands, and finds them in the L2 cache.
__device__ inline TilePlace tile_place(std::int64_t tile, std::int64_t tall, std::int64_t wide) {
  constexpr std::int64_t kBand = 16;
  const std::int64_t of_modulus = tall * wide, in_band = kBand * wide;
  const std::int64_t rest = tile % of_modulus, band = rest / in_band;
  const std::int64_t height = min(kBand, tall - band * kBand), in = rest % in_band;
  return {static_cast<int>(tile / of_modulus), band * kBand + in % height, in / height};
}

/// The residues of eight sums of a quad of lanes. Lane q holds columns 2 q and 2 q + 1 of four
/// groups of eight columns; it gets all eight of group q, so that the quad stores 32 bytes side by
/// side.
__device__ inline uint2 residues_of_quad(const std::int32_t (&values)[8], std::int32_t modulus,
                                         std::int32_t reciprocal) {
  std::uint32_t r[8];
#pragma unroll
  for (int i = 0; i < 8; ++i)
    r[i] = static_cast<std::uint32_t>(hpcx::emulation::residue(values[i], modulus, reciprocal));
  // Two bytes a group, two groups a word.
  const auto word = [&](int i) {
    return __byte_perm(__byte_perm(r[i], r[i + 1], 0x0040), __byte_perm(r[i + 2], r[i + 3], 0x0040),
                       0x5410);
  };
  const std::uint32_t groups_01 = word(0), groups_23 = word(4);
  const unsigned q = threadIdx.x & 3;
  const bool upper_half = (q & 2) != 0, odd = (q & 1) != 0;
  // Lanes 0 and 1 collect groups 0 and 1, lanes 2 and 3 the others.
  const std::uint32_t kept = upper_half ? groups_23 : groups_01;
  const std::uint32_t other = __shfl_xor_sync(0xffffffff, upper_half ? groups_01 : groups_23, 2);
  const std::uint32_t from_low = upper_half ? other : kept, from_high = upper_half ? kept : other;
  const std::uint32_t even_group = __byte_perm(from_low, from_high, 0x5410);
  const std::uint32_t odd_group = __byte_perm(from_low, from_high, 0x7632);
  const std::uint32_t mine = odd ? odd_group : even_group;
  const std::uint32_t theirs = __shfl_xor_sync(0xffffffff, odd ? even_group : odd_group, 1);
  const std::uint32_t of_even = odd ? theirs : mine, of_odd = odd ? mine : theirs;
  return make_uint2(__byte_perm(of_even, of_odd, 0x5410), __byte_perm(of_even, of_odd, 0x7632));
}

}  // namespace hpcx::gpu_cuda::emulation
