#include "cuda/mma_tile.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

// The places of the mma.sync kernel, held against ldmatrix and the fragments of m16n8k32 as the PTX
// ISA describes them.

namespace hpcx::gpu_cuda::emulation {
namespace {

using Stage = std::vector<std::int8_t>;

/// Four words for each lane of a warp.
struct Words {
  std::int8_t bytes[32][4][4];
};
/// ldmatrix.x4: lane 8 t + r has the address of row r of matrix t; lane l gets bytes 4 (l % 4) ...
/// of row l / 4 of each.
template <class Address>
Words load_matrices(const Stage& stage, Address address) {
  Words words{};
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned t = 0; t < 4; ++t)
      for (unsigned byte = 0; byte < 4; ++byte)
        words.bytes[lane][t][byte] = stage.at(address(8 * t + lane / 4) + lane % 4 * 4 + byte);
  return words;
}

TEST(MmaTile, FragmentsMeetAndSumsGoWhereTheyBelong) {
  std::mt19937 random(1);
  Stage stage(MmaTile::kStageBytes);
  for (std::int8_t& byte : stage)
    byte = static_cast<std::int8_t>(random());
  std::vector<std::int32_t> made(MmaTile::kTile * MmaTile::kTile);
  std::vector<int> stored(made.size());
  for (unsigned warp = 0; warp < 8; ++warp) {
    const auto at = [warp](unsigned lane) { return MmaTile{warp, lane}; };
    std::int32_t sums[32][4][4][4] = {};
    for (int half = 0; half < MmaTile::kStep / 32; ++half)
      for (int i = 0; i < 4; ++i) {
        const Words a = load_matrices(stage, [&](unsigned l) { return at(l).of_a(i, half); });
        for (int j = 0; j < 4; ++j) {
          const Words b = load_matrices(stage, [&](unsigned l) { return at(l).of_b(j / 2, half); });
          // a: row g + 8 (r % 2), k = 4 t + 16 (r / 2); b: column g, k = 4 t + 16 r; c: row g + 8
          // (r / 2), column 2 t + r % 2, with lane = 4 g + t.
          for (unsigned lane = 0; lane < 32; ++lane)
            for (unsigned r = 0; r < 4; ++r) {
              const unsigned row = lane / 4 + 8 * (r / 2), column = lane % 4 * 2 + r % 2;
              for (unsigned k = 0; k < 32; ++k) {
                const unsigned t = k % 16 / 4;
                sums[lane][i][j][r] +=
                    a.bytes[row % 8 * 4 + t][row / 8 + 2 * (k / 16)][k % 4] *
                    b.bytes[column * 4 + t][static_cast<unsigned>(j) % 2 * 2 + k / 16][k % 4];
              }
            }
        }
      }
    for (unsigned first = 0; first < 32; first += 4)
      for (int i = 0; i < 4; ++i)
        for (int part = 0; part < 2; ++part)
          // The quad's exchange gives lane q all columns of group q, see emulation_tiles.h.
          for (unsigned q = 0; q < 4; ++q)
            for (unsigned column = 0; column < 8; ++column) {
              const MmaTile lane = at(first + q);
              const unsigned place =
                  lane.out_row(i, part) * MmaTile::kTile + lane.out_column() + column;
              made.at(place) = sums[first + column / 2][i][q][2 * part + column % 2];
              ++stored.at(place);
            }
  }
  for (unsigned row = 0; row < MmaTile::kTile; ++row)
    for (unsigned column = 0; column < MmaTile::kTile; ++column) {
      std::int32_t sum = 0;
      for (unsigned k = 0; k < MmaTile::kStep; ++k)
        sum += stage[row * MmaTile::kRowBytes + k] *
               stage[MmaTile::kOperandBytes + column * MmaTile::kRowBytes + k];
      ASSERT_EQ(made[row * MmaTile::kTile + column], sum) << row << ", " << column;
      ASSERT_EQ(stored[row * MmaTile::kTile + column], 1) << row << ", " << column;
    }
}

TEST(MmaTile, LoadsOfEightLinesAreInAllBanks) {
  for (unsigned warp = 0; warp < 8; ++warp)
    for (unsigned t = 0; t < 4; ++t) {
      std::uint64_t a = 0, b = 0;
      for (unsigned r = 0; r < 8; ++r) {
        const MmaTile lane{warp, 8 * t + r};
        EXPECT_EQ(lane.of_a(3, 1) % 16 + lane.of_b(1, 1) % 16, 0U);
        a |= std::uint64_t{1} << lane.of_a(3, 1) / 16 % 8;
        b |= std::uint64_t{1} << lane.of_b(1, 1) / 16 % 8;
      }
      EXPECT_EQ(a, 0xffU);
      EXPECT_EQ(b, 0xffU);
    }
}

}  // namespace
}  // namespace hpcx::gpu_cuda::emulation
