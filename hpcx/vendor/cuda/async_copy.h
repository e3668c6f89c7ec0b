#pragma once

#include <cuda_pipeline.h>

namespace hpcx::gpu_cuda {

/// shared = *global, or zero where not `inside`, beside what the thread does next. Groups of copies
/// end in their order.
template <class T>
__device__ void start_copy(T* shared, const T* global, bool inside) {
  __pipeline_memcpy_async(shared, global, sizeof(T), inside ? 0 : sizeof(T));
}
/// Ends a group.
__device__ inline void end_copies() {
  __pipeline_commit();
}
/// All groups of this thread but the last kLater are there.
template <int kLater>
__device__ void await_copies() {
  __pipeline_wait_prior(kLater);
}

}  // namespace hpcx::gpu_cuda
