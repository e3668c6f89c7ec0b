#include <limits>

#include "cuda/reconstruction_kernel.h"

namespace hpcx::gpu_cuda::emulation {

namespace {

/// For this number of moduli or a larger one.
template <int kModuliCount>
void launch(cudaStream_t stream, int moduli, const Reconstruction& r, const Weights& weights) {
  if constexpr (kModuliCount < kMostModuli)
    if (moduli > kModuliCount) return launch<kModuliCount + 1>(stream, moduli, r, weights);
  HPCX_ASSERT(moduli == kModuliCount);
  HPCX_ASSERT(reconstruction_threads(r) <= std::numeric_limits<std::uint32_t>::max());
  const unsigned blocks = grid_size(ceil_div(reconstruction_threads(r), 256));
  const bool aligned = reinterpret_cast<std::uintptr_t>(r.c) % 16 == 0 && r.ld % 2 == 0;
  if (aligned)
    subtract_reconstructed<kModuliCount, true><<<blocks, 256, 0, stream>>>(r, weights);
  else
    subtract_reconstructed<kModuliCount, false><<<blocks, 256, 0, stream>>>(r, weights);
  HPCX_CHECK_LAUNCH("subtract_reconstructed");
}

}  // namespace

void launch_reconstruction(cudaStream_t stream, const ResidueProduct& product, double factor,
                           MatrixView c) {
  HPCX_ASSERT(c.layout == Layout::RowMajor && c.rows == product.rows && c.cols == product.y.lines);
  if (c.empty()) return;
  const int moduli = product.x.moduli;
  const Constants& of = constants(moduli);
  Weights weights{.of = {}, .product = of.product, .reciprocal = of.reciprocal};
  // Weights of the other sign make the same number of the other sign, bit for bit.
  for (int m = 0; m < moduli; ++m) {
    const ThreeParts& weight = of.weights[static_cast<std::size_t>(m)];
    weights.of[m] = {-factor * weight.high, -factor * weight.middle, -factor * weight.low};
  }
  const Reconstruction r{.residues = product.out,
                         .pitch = product.pitch(),
                         .plane = product.plane(),
                         .row_exponents = product.x.exponents + product.first,
                         .column_exponents = product.y.exponents,
                         .c = c.data,
                         .rows = c.rows,
                         .columns = c.cols,
                         .ld = c.ld};
  launch<kFewestModuli>(stream, moduli, r, weights);
}

}  // namespace hpcx::gpu_cuda::emulation
