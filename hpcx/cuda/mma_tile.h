#pragma once

#include <cstdint>

#include "cuda/emulation_tiles.h"

// Addresses of the mma.sync kernel's threads in a stage of shared memory and in C. Plain C++, which
// a test holds against the fragments of the PTX ISA.

namespace hpcx::gpu_cuda::emulation {

/// A stage: 128 lines of 64 bytes of each operand, 80 bytes apart, so that eight lines' pieces of
/// 16 bytes lie in all 32 banks. Eight warps stand 2 x 4; each has 64 rows and 32 columns of C.
struct MmaTile {
  static constexpr int kTile = 128, kStep = 64, kThreads = 256;
  static constexpr int kRowBytes = kStep + 16, kOperandBytes = kTile * kRowBytes;
  static constexpr int kStageBytes = 2 * kOperandBytes;

  unsigned warp, lane;

  HPCX_TILE_FUNCTION constexpr unsigned row() const { return warp % 2 * 64; }
  HPCX_TILE_FUNCTION constexpr unsigned column() const { return warp / 2 * 32; }
  /// For ldmatrix: of rows 16 i ... of A the matrices rows 0 to 7, 8 to 15, both again 16 bytes on.
  HPCX_TILE_FUNCTION constexpr unsigned of_a(int i, int half) const {
    return (row() + static_cast<unsigned>(i) * 16 + lane % 16) * kRowBytes +
           static_cast<unsigned>(half) * 32 + lane / 16 * 16;
  }
  /// Of columns 16 j ... of B: columns 0 to 7, these 16 bytes on, columns 8 to 15, these 16 bytes
  /// on.
  HPCX_TILE_FUNCTION constexpr unsigned of_b(int j, int half) const {
    return kOperandBytes +
           (column() + static_cast<unsigned>(j) * 16 + lane / 16 * 8 + lane % 8) * kRowBytes +
           static_cast<unsigned>(half) * 32 + lane / 8 % 2 * 16;
  }
  /// Row in the tile of C of the lane's eight bytes of sums[i][...][2 part ...], after the quad's
  /// exchange.
  HPCX_TILE_FUNCTION constexpr unsigned out_row(int i, int part) const {
    return row() + static_cast<unsigned>(i * 16 + part * 8) + lane / 4;
  }
  HPCX_TILE_FUNCTION constexpr unsigned out_column() const { return column() + lane % 4 * 8; }
};

}  // namespace hpcx::gpu_cuda::emulation
