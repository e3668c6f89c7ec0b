#pragma once

#include <cuda_runtime.h>

#include "cuda/emulation_tiles.h"

namespace hpcx::gpu_cuda::emulation {

/// All lanes of the warp call this.
__device__ inline uint2 residues_of_quad(const std::int32_t (&values)[8], std::int32_t modulus,
                                         std::int32_t reciprocal) {
  const unsigned q = threadIdx.x & 3;
  const QuadPart part = quad_part(values, modulus, reciprocal);
  const QuadGroups groups =
      quad_groups(q, part, __shfl_xor_sync(0xffffffff, first_sent(q, part), 2));
  const EightBytes bytes =
      quad_bytes(q, groups, __shfl_xor_sync(0xffffffff, second_sent(q, groups), 1));
  return make_uint2(bytes.low, bytes.high);
}

}  // namespace hpcx::gpu_cuda::emulation
