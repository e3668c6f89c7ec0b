#include <cuda_runtime.h>

#include "cuda/emulation_kernels.h"
#include "emulation/arithmetic.h"
#include "gpu/blas_calls.h"
#include "gpu/launch.h"

// Products of residues by cuBLAS, which knows chips that no kernel here was written for. Its sums
// of 32 bits pass through memory once for every modulus.

namespace hpcx::gpu_cuda::emulation {

namespace {

/// Sums side by side that a thread reduces.
constexpr int kSide = 4;

/// out[i] := residue of sums[i]; both begin on boundaries of 16 bytes.
__global__ void reduce(const int4* sums, std::int64_t count, hpcx::emulation::Reduction m,
                       char4* out) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int4 s = sums[i];
  const auto byte = [=](std::int32_t sum) {
    return static_cast<signed char>(hpcx::emulation::residue(sum, m.modulus, m.reciprocal));
  };
  out[i] = {byte(s.x), byte(s.y), byte(s.z), byte(s.w)};
}

}  // namespace

void launch_library(cudaStream_t stream, const ResidueProduct& product) {
  const ResidueView &x = product.x, &y = product.y;
  const std::int64_t pitch = product.pitch(), count = product.plane() / kSide;
  const auto& reductions = hpcx::emulation::constants(x.moduli).reductions;
  for (int m = 0; m < x.moduli; ++m) {
    // A row of the product is a column for the library: Y X^T.
    product.blas->gemm(ByteGemmCall{.m = y.lines,
                                    .n = product.rows,
                                    .k = x.padded_depth(),
                                    .a = y.residues + m * y.plane(),
                                    .lda = y.pitch(),
                                    .b = x.residues + m * x.plane() + product.first * x.pitch(),
                                    .ldb = x.pitch(),
                                    .c = product.sums,
                                    .ldc = pitch});
    reduce<<<grid_size(ceil_div(count, kThreads)), kThreads, 0, stream>>>(
        reinterpret_cast<const int4*>(product.sums), count, reductions[static_cast<std::size_t>(m)],
        reinterpret_cast<char4*>(product.out + m * product.plane()));
    HPCX_CHECK_LAUNCH("reduce");
  }
}

}  // namespace hpcx::gpu_cuda::emulation
