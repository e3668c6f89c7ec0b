#include <cuda_runtime.h>

#include "cuda/emulation_kernels.h"
#include "cuda/mma_kernel.h"
#include "gpu/launch.h"

namespace hpcx::gpu_cuda::emulation {

void launch_mma(cudaStream_t stream, const ResidueProduct& product) {
  const ResidueView &x = product.x, &y = product.y;
  const std::int64_t tall = ceil_div(product.rows, kTile), wide = ceil_div(y.lines, kTile);
  constexpr int kBytes = kStages * kStageBytes;
  HPCX_CHECK(
      cudaFuncSetAttribute(product_mma, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  product_mma<<<grid_size(tall * wide * x.moduli), kThreadCount, kBytes, stream>>>(
      part_of(x, product.first, product.rows, x.depth), y,
      {product.out, product.rows, product.pitch(), product.plane(), grid_size(tall),
       grid_size(wide)},
      moduli_of(x.moduli));
  HPCX_CHECK_LAUNCH("product_mma");
}

}  // namespace hpcx::gpu_cuda::emulation
