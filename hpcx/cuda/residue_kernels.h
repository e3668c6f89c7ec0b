#pragma once

#include <cuda_runtime.h>

#include "cuda/emulation_kernels.h"
#include "emulation/arithmetic.h"
#include "gpu/launch.h"

// Both kernels come in two forms, by what lies side by side in memory: lines, or elements of a
// line. A test runs them on the host as well.

namespace hpcx::gpu_cuda::emulation {

namespace {

using namespace hpcx::emulation;

constexpr int kWarp = 32, kWarps = 8;

/// The elements of a matrix as lines: element k of line i is data[i * line_stride + k * stride].
struct LineMatrix {
  const double* data;
  std::int64_t lines, depth, line_stride, stride;
};

LineMatrix lines_of_matrix(ConstMatrixView matrix) {
  return {matrix.data, matrix.rows, matrix.cols, matrix.row_stride(), matrix.col_stride()};
}

/// Lines side by side: a block has 32 of them, each of its warps every eighth element.
__global__ void __launch_bounds__(kWarp* kWarps)
    exponents_across(LineMatrix a, Wide norm_limit, std::int32_t* exponents) {
  __shared__ std::int32_t largest_of[kWarps][kWarp];
  __shared__ unsigned long long squares_of[kWarps][kWarp];
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const std::int64_t line = static_cast<std::int64_t>(blockIdx.x) * kWarp + lane;
  const bool inside = line < a.lines;
  const double* x = a.data + (inside ? line : 0) * a.line_stride;
  std::int32_t largest = kAllZero;
  if (inside)
#pragma unroll 8
    for (std::int64_t k = warp; k < a.depth; k += kWarps)
      largest = max(largest, magnitude_of(x[k * a.stride]).exponent);
  largest_of[warp][lane] = largest;
  __syncthreads();
  for (int w = 0; w < kWarps; ++w)
    largest = max(largest, largest_of[w][lane]);
  unsigned long long squares = 0;
  if (inside && largest != kNotFinite)
#pragma unroll 8
    for (std::int64_t k = warp; k < a.depth; k += kWarps)
      squares += bounded_square(x[k * a.stride], largest);
  squares_of[warp][lane] = squares;
  __syncthreads();
  if (warp != 0 || !inside) return;
  for (int w = 1; w < kWarps; ++w)
    squares += squares_of[w][lane];
  exponents[line] = line_exponent(largest, squares, norm_limit);
}

/// Elements of a line side by side: a warp a line.
__global__ void __launch_bounds__(kWarp* kWarps)
    exponents_along(LineMatrix a, Wide norm_limit, std::int32_t* exponents) {
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const std::int64_t line = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp;
  if (line >= a.lines) return;
  const double* x = a.data + line * a.line_stride;
  std::int32_t largest = kAllZero;
  for (std::int64_t k = lane; k < a.depth; k += kWarp)
    largest = max(largest, magnitude_of(x[k * a.stride]).exponent);
  largest = __reduce_max_sync(0xffffffff, largest);
  unsigned long long squares = 0;
  if (largest != kNotFinite)
    for (std::int64_t k = lane; k < a.depth; k += kWarp)
      squares += bounded_square(x[k * a.stride], largest);
  for (unsigned distance = kWarp / 2; distance > 0; distance /= 2)
    squares += __shfl_xor_sync(0xffffffff, squares, distance);
  if (lane == 0) exponents[line] = line_exponent(largest, squares, norm_limit);
}

struct Reductions {
  Reduction of[kMostModuli];
  int moduli;
};

constexpr int kRunOfResidues =
    16;  // elements of a line that a thread makes residues of: one store each

/// A thread a run: neighbouring threads have neighbouring lines, or neighbouring runs of a line.
template <bool kAcross>
__global__ void __launch_bounds__(kWarp* kWarps)
    residues(LineMatrix a, ResidueView out, const __grid_constant__ Reductions reductions) {
  const std::int64_t runs = out.pitch() / kRunOfResidues;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  std::int64_t line, run;
  if constexpr (kAcross) {
    // 32 lines, then the next run of these lines: a warp's stores lie apart, the next warp fills
    // the sectors up.
    const std::int64_t group = thread / kWarp;
    line = group / runs * kWarp + thread % kWarp;
    run = group % runs;
  } else {
    line = thread / runs;
    run = thread % runs;
  }
  if (line >= a.lines) return;
  const std::int32_t exponent = out.exponents[line];
  const bool finite = exponent != kNotFinite;
  const double first = first_factor(finite ? exponent : 0);
  const double second = second_factor(finite ? exponent : 0);
  const double* x = a.data + line * a.line_stride;
  Pieces pieces[kRunOfResidues];
#pragma unroll
  for (int i = 0; i < kRunOfResidues; ++i) {
    const std::int64_t k = run * kRunOfResidues + i;
    const double value = finite && k < a.depth ? x[k * a.stride] : 0.0;
    pieces[i] = pieces_of(scaled_integer(value, first, second));
  }
  std::int8_t* place = out.residues + line * out.pitch() + run * kRunOfResidues;
  const std::int64_t plane = out.plane();
#pragma unroll 1
  for (int m = 0; m < reductions.moduli; ++m, place += plane) {
    const Reduction reduction = reductions.of[m];
    std::uint32_t words[kRunOfResidues / 4];
#pragma unroll
    for (int w = 0; w < kRunOfResidues / 4; ++w) {
      std::uint32_t r[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        r[i] = static_cast<std::uint32_t>(residue(pieces[4 * w + i], reduction));
      words[w] =
          __byte_perm(__byte_perm(r[0], r[1], 0x0040), __byte_perm(r[2], r[3], 0x0040), 0x5410);
    }
    *reinterpret_cast<uint4*>(place) = make_uint4(words[0], words[1], words[2], words[3]);
  }
}

}  // namespace

}  // namespace hpcx::gpu_cuda::emulation
