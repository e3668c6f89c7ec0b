#pragma once

#include <cstdint>

#include "emulation/arithmetic.h"

// Shared by the kernels of residue products: the order of tiles, and the packing of sums into bytes
// side by side. All but the exchange between lanes is plain C++, which tests run on the host.

#ifdef __CUDACC__
#define HPCX_TILE_FUNCTION __host__ __device__ inline
#else
#define HPCX_TILE_FUNCTION inline
#endif

namespace hpcx::gpu_cuda::emulation {

struct Moduli {
  std::int32_t modulus[kMostModuli];
  std::int32_t reciprocal[kMostModuli];
};
inline Moduli moduli_of(int count) {
  Moduli all{};
  for (int m = 0; m < count; ++m) {
    const auto& reduction =
        hpcx::emulation::constants(count).reductions[static_cast<std::size_t>(m)];
    all.modulus[m] = reduction.modulus;
    all.reciprocal[m] = reduction.reciprocal;
  }
  return all;
}

// --- Order of tiles ------------------------------------------------------------------------------

struct TilePlace {
  std::uint32_t modulus;
  std::uint32_t row, column;  // in tiles
};
/// One modulus after the other; of each, bands of 16 tiles of rows, column by column: what runs at
/// one time needs few lines of both operands, and finds them in the L2 cache. In 32 bits, since a
/// division in 64 takes as long as a part of the product.
HPCX_TILE_FUNCTION constexpr TilePlace tile_place(std::uint32_t tile, std::uint32_t tall,
                                                  std::uint32_t wide) {
  constexpr std::uint32_t kBand = 16;
  const std::uint32_t of_modulus = tall * wide, modulus = tile / of_modulus;
  const std::uint32_t rest = tile - modulus * of_modulus, band = rest / (kBand * wide);
  const std::uint32_t left = tall - band * kBand, height = left < kBand ? left : kBand;
  const std::uint32_t in = rest - band * kBand * wide, column = in / height;
  return {modulus, band * kBand + in - column * height, column};
}

/// Tiles first, first + stride, ... below end.
struct TileRange {
  std::uint32_t first, end, stride;
};
/// The tiles of thread block number `block` if `resident` of them run at a time. They lie
/// `resident` apart, so that blocks that run together share operands. A block ends after `run`
/// tiles: kernels of other streams get multiprocessors meanwhile, and blocks that start late take
/// none from those that run.
HPCX_TILE_FUNCTION constexpr TileRange tiles_of_block(std::uint32_t block, std::uint32_t resident,
                                                      std::uint32_t run, std::uint32_t tiles) {
  const std::uint32_t wave = block / resident, first = wave * resident * run;
  const std::uint32_t left = tiles - first, all = resident * run;
  return {first + block % resident, first + (left < all ? left : all), resident};
}
constexpr std::uint32_t blocks_of_tiles(std::uint32_t resident, std::uint32_t run,
                                        std::uint32_t tiles) {
  const std::uint32_t all = resident * run, rest = tiles % all;
  return tiles / all * resident + (rest < resident ? rest : resident);
}

// --- Sums to bytes -------------------------------------------------------------------------------

/// Byte i of the result is byte `selector >> 4 i & 7` of low and high.
HPCX_TILE_FUNCTION constexpr std::uint32_t select_bytes(std::uint32_t low, std::uint32_t high,
                                                        std::uint32_t selector) {
#ifdef __CUDA_ARCH__
  return __byte_perm(low, high, selector);
#else
  const std::uint64_t bytes = std::uint64_t{high} << 32 | low;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= static_cast<std::uint32_t>(bytes >> (8 * (selector >> 4 * i & 7)) & 0xff) << 8 * i;
  return result;
#endif
}

// The residues of eight sums of a quad of lanes. Lane q holds columns 2 q and 2 q + 1 of four
// groups of eight columns; it gets all eight of group q, so that the quad stores 32 bytes side by
// side. Two exchanges: with lane q ^ 2, then with lane q ^ 1.

/// The residues of a lane's columns: two bytes a group, two groups a word.
struct QuadPart {
  std::uint32_t groups_01, groups_23;
};
HPCX_TILE_FUNCTION constexpr QuadPart quad_part(const std::int32_t (&values)[8],
                                                std::int32_t modulus, std::int32_t reciprocal) {
  std::uint32_t r[8]{};
  for (int i = 0; i < 8; ++i)
    r[i] = static_cast<std::uint32_t>(hpcx::emulation::residue(values[i], modulus, reciprocal));
  return {select_bytes(select_bytes(r[0], r[1], 0x0040), select_bytes(r[2], r[3], 0x0040), 0x5410),
          select_bytes(select_bytes(r[4], r[5], 0x0040), select_bytes(r[6], r[7], 0x0040), 0x5410)};
}
/// Lanes 0 and 1 collect groups 0 and 1, lanes 2 and 3 the others.
HPCX_TILE_FUNCTION constexpr std::uint32_t first_sent(unsigned q, QuadPart part) {
  return (q & 2) != 0 ? part.groups_01 : part.groups_23;
}
/// Four columns of the even and of the odd group that the lane's half collects.
struct QuadGroups {
  std::uint32_t even, odd;
};
HPCX_TILE_FUNCTION constexpr QuadGroups quad_groups(unsigned q, QuadPart part,
                                                    std::uint32_t received) {
  const bool upper = (q & 2) != 0;
  const std::uint32_t kept = upper ? part.groups_23 : part.groups_01;
  const std::uint32_t from_low = upper ? received : kept, from_high = upper ? kept : received;
  return {select_bytes(from_low, from_high, 0x5410), select_bytes(from_low, from_high, 0x7632)};
}
HPCX_TILE_FUNCTION constexpr std::uint32_t second_sent(unsigned q, QuadGroups groups) {
  return (q & 1) != 0 ? groups.even : groups.odd;
}
/// Columns 0 to 3 and 4 to 7 of group q.
struct EightBytes {
  std::uint32_t low, high;
};
HPCX_TILE_FUNCTION constexpr EightBytes quad_bytes(unsigned q, QuadGroups groups,
                                                   std::uint32_t received) {
  const bool odd = (q & 1) != 0;
  const std::uint32_t mine = odd ? groups.odd : groups.even;
  const std::uint32_t of_even = odd ? received : mine, of_odd = odd ? mine : received;
  return {select_bytes(of_even, of_odd, 0x5410), select_bytes(of_even, of_odd, 0x7632)};
}

}  // namespace hpcx::gpu_cuda::emulation
