#pragma once

#include <cuda_runtime.h>

#include "cuda/emulation_kernels.h"
#include "emulation/arithmetic.h"
#include "gpu/launch.h"

// What updates C. A test runs it on the host as well.

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

/// A residue as a double: 2^52 + 128 + residue by its bits, less 2^52 + 128.
__device__ double residue_in(std::uint32_t biased_word, int byte) {
  const auto low = static_cast<int>(__byte_perm(biased_word, 0, 0x4440u | unsigned(byte)));
  return __hiloint2double(0x43300000, low) - (0x1p52 + 128);
}

template <int kModuliCount, bool kAligned>
__global__ void __launch_bounds__(256)
    subtract_reconstructed(Reconstruction r, const __grid_constant__ Weights weights) {
  const std::int64_t runs = r.pitch / kRunOfC;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = thread / runs, column = thread % runs * kRunOfC;
  if (row >= r.rows || column >= r.columns) return;
  const std::int8_t* place = r.residues + row * r.pitch + column;
  std::uint32_t words[kModuliCount];
#pragma unroll
  for (int m = 0; m < kModuliCount; ++m)
    words[m] = __ldcs(reinterpret_cast<const unsigned*>(place + m * r.plane)) ^ 0x80808080u;
  double* const c = r.c + row * r.ld + column;
  const bool whole = kAligned && column + kRunOfC <= r.columns;
  double values[kRunOfC];
  if (whole) {
    const double2 a = *reinterpret_cast<const double2*>(c);
    const double2 b = *reinterpret_cast<const double2*>(c + 2);
    values[0] = a.x, values[1] = a.y, values[2] = b.x, values[3] = b.y;
  } else {
#pragma unroll
    for (int i = 0; i < kRunOfC; ++i)
      values[i] = column + i < r.columns ? c[i] : 0.0;
  }
  const std::int32_t of_row = r.row_exponents[row];
#pragma unroll
  for (int i = 0; i < kRunOfC; ++i) {
    PartSums sums;
#pragma unroll
    for (int m = 0; m < kModuliCount; ++m)
      sums.add(residue_in(words[m], i), weights.of[m]);
    const std::int32_t of_column = column + i < r.columns ? r.column_exponents[column + i] : 0;
    const std::int32_t exponent = element_exponent(of_row, of_column);
    values[i] =
        exponent == kNotFinite
            ? __longlong_as_double(0x7ff8000000000000ll)
            : subtract_scaled(values[i], reconstruct(sums, weights.product, weights.reciprocal),
                              exponent);
  }
  if (whole) {
    *reinterpret_cast<double2*>(c) = make_double2(values[0], values[1]);
    *reinterpret_cast<double2*>(c + 2) = make_double2(values[2], values[3]);
  } else {
#pragma unroll
    for (int i = 0; i < kRunOfC; ++i)
      if (column + i < r.columns) c[i] = values[i];
  }
}

}  // namespace

}  // namespace hpcx::gpu_cuda::emulation
