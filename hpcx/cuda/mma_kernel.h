#pragma once

#include <cuda_runtime.h>

#include "cuda/mma_instructions.h"
#include "cuda/mma_tile.h"
#include "cuda/quad_residues.h"
#include "gpu/launch.h"

// Products of residues by mma.sync, which every chip since A100 has: tiles of 128 x 128, three
// stages of 64 elements of the inner dimension, the reduction modulo m in registers. A test runs
// this on the host as well.

namespace hpcx::gpu_cuda::emulation {

namespace {

constexpr int kStages = 3;
constexpr int kTile = MmaTile::kTile, kStep = MmaTile::kStep, kThreadCount = MmaTile::kThreads;
constexpr int kRowBytes = MmaTile::kRowBytes, kOperandBytes = MmaTile::kOperandBytes;
constexpr int kStageBytes = MmaTile::kStageBytes;

struct Operand {
  const std::int8_t* residues;
  std::int64_t lines, pitch, plane, depth;

  Operand(const ResidueView& view)
      : residues(view.residues),
        lines(view.lines),
        pitch(view.pitch()),
        plane(view.plane()),
        depth(view.padded_depth()) {}
};
/// The residues of the product, and how many tiles they are.
struct Result {
  std::int8_t* out;
  std::int64_t rows, pitch, plane;
  std::uint32_t tall, wide;
};

__global__ void __launch_bounds__(kThreadCount)
    product_mma(Operand x, Operand y, Result to, const __grid_constant__ Moduli moduli) {
  const TilePlace place = tile_place(blockIdx.x, to.tall, to.wide);
  const std::int64_t row = std::int64_t{place.row} * kTile,
                     column = std::int64_t{place.column} * kTile;
  const std::int8_t* from_x = x.residues + place.modulus * x.plane;
  const std::int8_t* from_y = y.residues + place.modulus * y.plane;
  const unsigned thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const unsigned shared = mma::shared_memory();

  // A stage: 128 rows of 64 bytes of each operand; a thread copies 16 bytes of two rows of each.
  const unsigned copy_row = thread / 4, copy_byte = thread % 4 * 16;
  const auto load_stage = [&](std::int64_t step) {
    const unsigned stage = shared + static_cast<unsigned>(step % kStages) * kStageBytes;
    const std::int64_t k = step * kStep + copy_byte;
#pragma unroll
    for (unsigned r = copy_row; r < kTile; r += kThreadCount / 4) {
      const bool in_x = k < x.depth && row + r < x.lines,
                 in_y = k < y.depth && column + r < y.lines;
      mma::copy_16(stage + r * kRowBytes + copy_byte,
                   in_x ? from_x + (row + r) * x.pitch + k : from_x, in_x);
      mma::copy_16(stage + kOperandBytes + r * kRowBytes + copy_byte,
                   in_y ? from_y + (column + r) * y.pitch + k : from_y, in_y);
    }
  };

  const std::int64_t steps = (x.depth + kStep - 1) / kStep;
  for (int s = 0; s < kStages - 1; ++s) {
    if (s < steps) load_stage(s);
    mma::end_copies();
  }
  const MmaTile at{warp, lane};
  std::int32_t sums[4][4][4] = {};
  for (std::int64_t step = 0; step < steps; ++step) {
    mma::await_copies<kStages - 2>();
    __syncthreads();
    if (step + kStages - 1 < steps) load_stage(step + kStages - 1);
    mma::end_copies();
    const unsigned stage = shared + static_cast<unsigned>(step % kStages) * kStageBytes;
#pragma unroll
    for (int half = 0; half < kStep / 32; ++half) {
      unsigned a[4][4], b[2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        mma::load_matrices(a[i], stage + at.of_a(i, half));
#pragma unroll
      for (int j = 0; j < 2; ++j)
        mma::load_matrices(b[j], stage + at.of_b(j, half));
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          mma::multiply(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
  }

  const std::int32_t modulus = moduli.modulus[place.modulus];
  const std::int32_t reciprocal = moduli.reciprocal[place.modulus];
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      std::int32_t values[8];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        values[2 * j] = sums[i][j][2 * part];
        values[2 * j + 1] = sums[i][j][2 * part + 1];
      }
      const uint2 bytes = residues_of_quad(values, modulus, reciprocal);
      const std::int64_t r = row + at.out_row(i, part);
      const std::int64_t c = column + at.out_column();
      if (r < to.rows && c < to.pitch)
        *reinterpret_cast<uint2*>(to.out + place.modulus * to.plane + r * to.pitch + c) = bytes;
    }
}

}  // namespace

}  // namespace hpcx::gpu_cuda::emulation
