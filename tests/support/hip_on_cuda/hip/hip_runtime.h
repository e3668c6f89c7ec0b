#pragma once

#include <hip/hip_runtime_api.h>

/// HIP's additions to the language in kernels. A wavefront is NVIDIA's warp.
#if defined(__CUDACC__)

#include <cuda/atomic>

#define __HIP_MEMORY_SCOPE_AGENT cuda::thread_scope_device
#define __HIP_MEMORY_SCOPE_SYSTEM cuda::thread_scope_system
// hpcx asks for relaxed order alone.
#define __hip_atomic_load(from, order, scope) hip_on_cuda::load<scope>(from)
#define __hip_atomic_store(to, value, order, scope) hip_on_cuda::store<scope>(to, value)

#define __shfl(value, lane, width) __shfl_sync(0xffffffffu, value, lane, width)
#define __shfl_xor(value, distance, width) __shfl_xor_sync(0xffffffffu, value, distance, width)
#define __ballot(holds) static_cast<unsigned long long>(__ballot_sync(0xffffffffu, holds))
#define __lane_id() (threadIdx.x % 32)
#define __builtin_amdgcn_fence(order, scope) __threadfence_block()
#define __builtin_amdgcn_wave_barrier() __syncwarp()

namespace hip_on_cuda {

template <cuda::thread_scope kScope, class T>
__device__ T load(const T* from) {
  return cuda::atomic_ref<T, kScope>(*const_cast<T*>(from)).load(cuda::memory_order_relaxed);
}
template <cuda::thread_scope kScope, class T>
__device__ void store(T* to, T value) {
  cuda::atomic_ref<T, kScope>(*to).store(value, cuda::memory_order_relaxed);
}

}  // namespace hip_on_cuda

#endif
