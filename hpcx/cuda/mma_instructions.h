#pragma once

#include <cstdint>

// Instructions of tensor cores since A100 (compute_80), as PTX names them: products of 8-bit
// integers by warps, and the copies to shared memory before them.

namespace hpcx::gpu_cuda::mma {

/// Of the shared memory that a launch asks for.
__device__ inline unsigned shared_memory() {
  extern __shared__ __align__(16) std::int8_t memory[];
  return static_cast<unsigned>(__cvta_generic_to_shared(memory));
}

__device__ inline void copy_16(unsigned to, const void* from, bool exists) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(exists ? 16 : 0)
               : "memory");
}

/// Four 8 x 16 byte matrices: lane l has bytes 4 (l % 4) ... of row l / 4 of each.
__device__ inline void load_matrices(unsigned (&words)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address)
               : "memory");
}

__device__ inline void multiply(std::int32_t (&d)[4], const unsigned (&a)[4], unsigned b0,
                                unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Ends a group of copies.
__device__ inline void end_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits for all groups but the last `kLater`.
template <int kLater>
__device__ inline void await_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLater) : "memory");
}

}  // namespace hpcx::gpu_cuda::mma
