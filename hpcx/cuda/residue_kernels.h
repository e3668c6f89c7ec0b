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
/// Warps that share 32 lines side by side: as many as a block may have, since there are few blocks.
constexpr int kWarpsAcross = 32;

/// The elements of a matrix as lines: element k of line i is data[i * line_stride + k * stride].
struct LineMatrix {
  const double* data;
  std::int64_t lines, depth, line_stride, stride;
};

LineMatrix lines_of_matrix(ConstMatrixView matrix) {
  return {matrix.data, matrix.rows, matrix.cols, matrix.row_stride(), matrix.col_stride()};
}

/// Lines side by side: a block has 32 of them, each of its warps every 32nd element.
__global__ void __launch_bounds__(kWarp* kWarpsAcross)
    exponents_across(LineMatrix a, Wide norm_limit, std::int32_t* exponents) {
  __shared__ std::int32_t largest_of[kWarpsAcross][kWarp];
  __shared__ unsigned long long squares_of[kWarpsAcross][kWarp];
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const std::int64_t line = static_cast<std::int64_t>(blockIdx.x) * kWarp + lane;
  const bool inside = line < a.lines;
  const double* x = a.data + (inside ? line : 0) * a.line_stride;
  std::int32_t largest = kAllZero;
  if (inside)
#pragma unroll 8
    for (std::int64_t k = warp; k < a.depth; k += kWarpsAcross)
      largest = max(largest, magnitude_of(x[k * a.stride]).exponent);
  largest_of[warp][lane] = largest;
  __syncthreads();
  for (int w = 0; w < kWarpsAcross; ++w)
    largest = max(largest, largest_of[w][lane]);
  unsigned long long squares = 0;
  if (inside && largest != kNotFinite)
#pragma unroll 8
    for (std::int64_t k = warp; k < a.depth; k += kWarpsAcross)
      squares += bounded_square(x[k * a.stride], largest);
  squares_of[warp][lane] = squares;
  __syncthreads();
  if (warp != 0 || !inside) return;
  for (int w = 1; w < kWarpsAcross; ++w)
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

/// Constants that reduce an integer of eight bytes modulo m: with weights 2^(8 i) modulo m it is a
/// sum of eight products below 2^18 in magnitude.
struct ByteReduction {
  std::int32_t low_weights, high_weights;  ///< four signed bytes each
  /// The bits of the float 3 2^22 plus what makes up for bytes that are taken as signed. Floats
  /// from 2^23 to 2^24 are integers, and their bits count on: a sum on top of these bits is a float
  /// too.
  std::int32_t start;
  float modulus, reciprocal;
};

struct Reductions {
  ByteReduction of[kMostModuli];
  int moduli;
};

constexpr float kFloatOfIntegers = 12582912;  // 3 2^22
constexpr std::int32_t kBitsOfIntegers = 0x4b400000;
constexpr std::uint64_t kSignedBytes = 0x0080808080808080;  // the upper byte is signed already

Reductions reductions_of(int moduli) {
  Reductions all{};
  all.moduli = moduli;
  for (int i = 0; i < moduli; ++i) {
    const std::int32_t m = kModuli[static_cast<std::size_t>(i)];
    ByteReduction& of = all.of[i];
    std::uint32_t words[2] = {0, 0};
    std::int32_t weight = 1, correction = 0;
    for (int byte = 0; byte < 8; ++byte) {
      const std::int32_t symmetric = 2 * weight >= m ? weight - m : weight;
      words[byte / 4] |= (static_cast<std::uint32_t>(symmetric) & 0xff) << 8 * (byte % 4);
      if (byte < 7) correction += 128 * symmetric;
      weight = weight * 256 % m;
    }
    of.low_weights = static_cast<std::int32_t>(words[0]);
    of.high_weights = static_cast<std::int32_t>(words[1]);
    of.start = kBitsOfIntegers + correction;
    of.modulus = static_cast<float>(m);
    of.reciprocal = 1 / of.modulus;
  }
  return all;
}

/// The integer as eight signed bytes.
struct SignedBytes {
  std::int32_t low, high;
};
__device__ inline SignedBytes signed_bytes(std::int64_t x) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(x) ^ kSignedBytes;
  return {static_cast<std::int32_t>(static_cast<std::uint32_t>(bytes)),
          static_cast<std::int32_t>(static_cast<std::uint32_t>(bytes >> 32))};
}

/// The residue in [-m/2, m/2) in the lower byte. The same as hpcx::emulation::residue(), in fewer
/// instructions: v is exact, v / m lies 1 / (2 m) from a tie at least unless it is one, which is
/// more than the error of the quotient. At a tie, where m is even, m/2 and -m/2 are the same byte.
__device__ inline std::uint32_t residue_byte(SignedBytes x, const ByteReduction& m) {
  const float v =
      __int_as_float(__dp4a(x.high, m.high_weights, __dp4a(x.low, m.low_weights, m.start)));
  const float quotient =
      fmaf(v - kFloatOfIntegers, m.reciprocal, kFloatOfIntegers) - kFloatOfIntegers;
  return static_cast<std::uint32_t>(__float_as_int(fmaf(quotient, -m.modulus, v)));
}

/// The lower bytes of four words.
__device__ inline std::uint32_t packed(std::uint32_t r0, std::uint32_t r1, std::uint32_t r2,
                                       std::uint32_t r3) {
  return __byte_perm(__byte_perm(r0, r1, 0x0040), __byte_perm(r2, r3, 0x0040), 0x5410);
}

constexpr int kRun = 16;  // elements of a line that a thread makes residues of
constexpr int kRuns = 8;  // runs of a line that a block makes: 128 bytes of every modulus
static_assert(kRuns == kWarps && kRun * kRuns == 128);

/// Blocks for residues().
std::int64_t residue_blocks(const ResidueView& out) {
  return ceil_div(out.lines, kWarp) * ceil_div(out.pitch() / kRun, kRuns);
}

/// A block has a run of 128 elements of 32 lines. Where lines lie side by side, the lanes of a warp
/// read elements of 32 lines; they exchange their residues so that a warp stores whole lines of the
/// cache, since pieces of 16 bytes would be written at a fraction of the memory's rate.
template <bool kAcross>
__global__ void __launch_bounds__(kWarp* kWarps)
    residues(LineMatrix a, ResidueView out, const __grid_constant__ Reductions reductions) {
  __shared__ uint4 exchange[2][kWarp][kRuns];
  const unsigned of_line = threadIdx.x / kRuns, of_run = threadIdx.x % kRuns;
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const std::int64_t runs = out.pitch() / kRun, wide = ceil_div(runs, kRuns);
  const std::int64_t first_line = blockIdx.x / wide * kWarp, first_run = blockIdx.x % wide * kRuns;
  const std::int64_t line = first_line + (kAcross ? lane : of_line);
  const std::int64_t run = first_run + (kAcross ? warp : of_run);

  SignedBytes bytes[kRun];
  const bool inside = line < a.lines && run < runs;
  const std::int32_t exponent = inside ? out.exponents[line] : kNotFinite;
  const bool finite = exponent != kNotFinite;
  const double first = first_factor(finite ? exponent : 0);
  const double second = second_factor(finite ? exponent : 0);
  const double* x = a.data + (inside ? line : 0) * a.line_stride;
#pragma unroll
  for (int i = 0; i < kRun; ++i) {
    const std::int64_t k = run * kRun + i;
    const double value = finite && k < a.depth ? x[k * a.stride] : 0.0;
    bytes[i] = signed_bytes(scaled_integer(value, first, second));
  }

  const std::int64_t stored_line = first_line + of_line, stored_run = first_run + of_run;
  const bool stores = stored_line < a.lines && stored_run < runs;
  std::int8_t* place = out.residues + stored_line * out.pitch() + stored_run * kRun;
  const std::int64_t plane = out.plane();
#pragma unroll 1
  for (int m = 0; m < reductions.moduli; ++m, place += plane) {
    const ByteReduction reduction = reductions.of[m];
    std::uint32_t words[kRun / 4];
#pragma unroll
    for (int w = 0; w < kRun / 4; ++w)
      words[w] = packed(
          residue_byte(bytes[4 * w], reduction), residue_byte(bytes[4 * w + 1], reduction),
          residue_byte(bytes[4 * w + 2], reduction), residue_byte(bytes[4 * w + 3], reduction));
    uint4 mine = make_uint4(words[0], words[1], words[2], words[3]);
    if constexpr (kAcross) {
      // Two buffers: one barrier a modulus. Rotated columns, so that no two lanes meet in a bank.
      auto& buffer = exchange[m % 2];
      buffer[lane][warp ^ lane % kRuns] = mine;
      __syncthreads();
      mine = buffer[of_line][of_run ^ of_line % kRuns];
    }
    if (stores) *reinterpret_cast<uint4*>(place) = mine;
  }
}

}  // namespace

}  // namespace hpcx::gpu_cuda::emulation
