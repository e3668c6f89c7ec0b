#pragma once

#include <cuda_runtime.h>

#include "cuda/emulation_kernels.h"
#include "emulation/arithmetic.h"
#include "gpu/launch.h"

// The kernel that updates C. A test runs it on the host as well.

namespace hpcx::gpu_cuda::emulation {

namespace {

using namespace hpcx::emulation;

struct Weights {
  ThreeParts of[kMostModuli];
  ThreeParts product;
  double reciprocal;
};

struct Reconstruction {
  const std::int8_t* residues;
  std::int64_t pitch, plane;
  const std::int32_t* row_exponents;
  const std::int32_t* column_exponents;
  double* c;
  std::int64_t rows, columns, ld;
};

constexpr int kRunOfC = 4;  // elements of a row of C that a thread updates

/// A residue as a double, by the unit for conversions: 16 a cycle and multiprocessor.
__device__ double converted(std::uint32_t word, int byte) {
  return static_cast<double>(static_cast<std::int8_t>(word >> 8 * byte));
}
/// The same by that for FP64: 2^52 + 128 + residue by its bits, less 2^52 + 128.
__device__ double added(std::uint32_t word, int byte) {
  const auto low =
      static_cast<int>(__byte_perm(word ^ 0x80808080u, 0, 0x4440u | static_cast<unsigned>(byte)));
  return __hiloint2double(0x43300000, low) - (0x1p52 + 128);
}

/// Threads for subtract_reconstructed(), below 2^32 since the workspace of residues is limited.
std::int64_t reconstruction_threads(const Reconstruction& r) {
  return r.rows * (r.pitch / kRunOfC);
}

template <int kModuliCount, bool kAligned>
__global__ void __launch_bounds__(256)
    subtract_reconstructed(Reconstruction r, const __grid_constant__ Weights weights) {
  const auto runs = static_cast<std::uint32_t>(r.pitch / kRunOfC);
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  const std::int64_t row = thread / runs, column = thread % runs * kRunOfC;
  if (row >= r.rows || column >= r.columns) return;
  const std::int8_t* place = r.residues + row * r.pitch + column;
  std::uint32_t words[kModuliCount];
#pragma unroll
  for (int m = 0; m < kModuliCount; ++m)
    words[m] = __ldcs(reinterpret_cast<const std::uint32_t*>(place + m * r.plane));
  double* const c = r.c + row * r.ld + column;
  const bool whole = kAligned && column + kRunOfC <= r.columns;
  double values[kRunOfC];
#pragma unroll
  for (int i = 0; i < kRunOfC; i += 2) {
    if (whole) {
      const double2 pair = *reinterpret_cast<const double2*>(c + i);
      values[i] = pair.x, values[i + 1] = pair.y;
    } else {
      values[i] = column + i < r.columns ? c[i] : 0.0;
      values[i + 1] = column + i + 1 < r.columns ? c[i + 1] : 0.0;
    }
  }
  PartSums sums[kRunOfC];
#pragma unroll
  for (int m = 0; m < kModuliCount; ++m)  // outside, so that a weight is loaded once
#pragma unroll
    for (int i = 0; i < kRunOfC; ++i)
      sums[i].add(m % 2 == 0 ? converted(words[m], i) : added(words[m], i), weights.of[m]);
  const std::int32_t of_row = r.row_exponents[row];
#pragma unroll
  for (int i = 0; i < kRunOfC; ++i) {
    const std::int32_t of_column = column + i < r.columns ? r.column_exponents[column + i] : 0;
    const std::int32_t exponent = element_exponent(of_row, of_column);
    values[i] =
        exponent == kNotFinite
            ? __longlong_as_double(0x7ff8000000000000ll)
            : subtract_scaled(values[i], reconstruct(sums[i], weights.product, weights.reciprocal),
                              exponent);
  }
#pragma unroll
  for (int i = 0; i < kRunOfC; i += 2) {
    if (whole) {
      *reinterpret_cast<double2*>(c + i) = make_double2(values[i], values[i + 1]);
    } else {
      if (column + i < r.columns) c[i] = values[i];
      if (column + i + 1 < r.columns) c[i + 1] = values[i + 1];
    }
  }
}

}  // namespace

}  // namespace hpcx::gpu_cuda::emulation
