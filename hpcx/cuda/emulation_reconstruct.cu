#include <cuda_runtime.h>

#include "cuda/emulation_kernels.h"
#include "emulation/arithmetic.h"
#include "gpu/launch.h"

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

constexpr int kRun = 4;  // elements of a row of C that a thread updates

/// A residue as a double: 2^52 + 128 + residue by its bits, less 2^52 + 128.
__device__ double residue_in(std::uint32_t biased_word, int byte) {
  const auto low = static_cast<int>(__byte_perm(biased_word, 0, 0x4440u | unsigned(byte)));
  return __hiloint2double(0x43300000, low) - (0x1p52 + 128);
}

template <int kModuliCount, bool kAligned>
__global__ void __launch_bounds__(256)
    subtract_reconstructed(Reconstruction r, const __grid_constant__ Weights weights) {
  const std::int64_t runs = r.pitch / kRun;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = thread / runs, column = thread % runs * kRun;
  if (row >= r.rows || column >= r.columns) return;
  const std::int8_t* place = r.residues + row * r.pitch + column;
  std::uint32_t words[kModuliCount];
#pragma unroll
  for (int m = 0; m < kModuliCount; ++m)
    words[m] = __ldcs(reinterpret_cast<const unsigned*>(place + m * r.plane)) ^ 0x80808080u;
  double* const c = r.c + row * r.ld + column;
  const bool whole = kAligned && column + kRun <= r.columns;
  double values[kRun];
  if (whole) {
    const double2 a = *reinterpret_cast<const double2*>(c);
    const double2 b = *reinterpret_cast<const double2*>(c + 2);
    values[0] = a.x, values[1] = a.y, values[2] = b.x, values[3] = b.y;
  } else {
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      values[i] = column + i < r.columns ? c[i] : 0.0;
  }
  const std::int32_t of_row = r.row_exponents[row];
#pragma unroll
  for (int i = 0; i < kRun; ++i) {
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
    for (int i = 0; i < kRun; ++i)
      if (column + i < r.columns) c[i] = values[i];
  }
}

template <int kModuliCount>
void launch(cudaStream_t stream, const Reconstruction& r, const Weights& weights) {
  const unsigned blocks = grid_size(ceil_div(r.rows * (r.pitch / kRun), 256));
  const bool aligned = reinterpret_cast<std::uintptr_t>(r.c) % 16 == 0 && r.ld % 2 == 0;
  if (aligned)
    subtract_reconstructed<kModuliCount, true><<<blocks, 256, 0, stream>>>(r, weights);
  else
    subtract_reconstructed<kModuliCount, false><<<blocks, 256, 0, stream>>>(r, weights);
  HPCX_CHECK_LAUNCH("subtract_reconstructed");
}

}  // namespace

void launch_reconstruction(cudaStream_t stream, const ResidueProduct& product, MatrixView c) {
  HPCX_ASSERT(c.layout == Layout::RowMajor && c.rows == product.rows && c.cols == product.y.lines);
  if (c.empty()) return;
  const int moduli = product.x.moduli;
  const Constants& of = constants(moduli);
  Weights weights{.of = {}, .product = of.product, .reciprocal = of.reciprocal};
  for (int m = 0; m < moduli; ++m)
    weights.of[m] = of.weights[static_cast<std::size_t>(m)];
  const Reconstruction r{.residues = product.out,
                         .pitch = product.pitch(),
                         .plane = product.plane(),
                         .row_exponents = product.x.exponents + product.first,
                         .column_exponents = product.y.exponents,
                         .c = c.data,
                         .rows = c.rows,
                         .columns = c.cols,
                         .ld = c.ld};
  static_assert(kFewestModuli == 12 && kMostModuli == 16);
  switch (moduli) {
    case 12:
      return launch<12>(stream, r, weights);
    case 13:
      return launch<13>(stream, r, weights);
    case 14:
      return launch<14>(stream, r, weights);
    case 15:
      return launch<15>(stream, r, weights);
    case 16:
      return launch<16>(stream, r, weights);
    default:
      HPCX_ASSERT(false);
  }
}

}  // namespace hpcx::gpu_cuda::emulation
