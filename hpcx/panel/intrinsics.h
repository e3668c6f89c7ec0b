#pragma once

#include <cstdint>

#include "vendor.h"

/// The few operations of the panel kernel that no common language covers. A "warp" here is a group
/// of 32 threads of one block, also where the hardware's is wider.
namespace hpcx::HPCX_GPU_NAMESPACE {

inline constexpr int kWarp = 32;

/// Two words that travel together; each carries 32 bits of data and, above them, a step number, so
/// that a reader knows without any fence that the data it sees is that step's.
struct WordPair {
  std::uint64_t x = 0, y = 0;
};

/// The value is computed here, and not later where it is used.
__device__ __forceinline__ void compute_now(double& value) {
  asm volatile("" : "+" HPCX_GPU_REGISTER(value));
}

#if defined(__HIP_PLATFORM_AMD__)

/// A parameter of a kernel that is read where it lies, by any index.
#define HPCX_GRID_CONSTANT

/// Words in memory that all blocks of the device see. A fence orders what the thread and those it
/// has met did before, and what it does after.
struct DeviceScope {
  __device__ __forceinline__ static void fence() { __threadfence(); }
  __device__ __forceinline__ static void publish(std::uint64_t* to, WordPair pair) {
    __hip_atomic_store(to, pair.x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_store(to + 1, pair.y, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
  __device__ __forceinline__ static WordPair observe(const std::uint64_t* from) {
    return {__hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT),
            __hip_atomic_load(from + 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)};
  }
};
/// Words in memory that several devices see.
struct SystemScope {
  __device__ __forceinline__ static void fence() { __threadfence_system(); }
  __device__ __forceinline__ static void publish(std::uint64_t* to, WordPair pair) {
    __hip_atomic_store(to, pair.x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    __hip_atomic_store(to + 1, pair.y, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
  }
  __device__ __forceinline__ static WordPair observe(const std::uint64_t* from) {
    return {__hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM),
            __hip_atomic_load(from + 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM)};
  }
};
__device__ __forceinline__ void publish_flag(unsigned* to, unsigned value) {
  __hip_atomic_store(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ __forceinline__ unsigned observe_flag(const unsigned* from) {
  return __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ __forceinline__ double load_shared_by_grid(const double* from) {
  return *from;
}
/// Past all caches of the device: the host's memory.
__device__ __forceinline__ double load_from_host(const double* from) {
  return __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
__device__ __forceinline__ double shuffle(double value, int lane) {
  return __shfl(value, lane, kWarp);
}
__device__ __forceinline__ unsigned shuffle(unsigned value, int lane) {
  return static_cast<unsigned>(__shfl(static_cast<int>(value), lane, kWarp));
}
/// A bit for each lane of the warp for which `holds` is true.
__device__ __forceinline__ unsigned warp_ballot(bool holds) {
  return static_cast<unsigned>(__ballot(holds) >> (__lane_id() / kWarp * kWarp));
}
__device__ __forceinline__ void sync_warp() {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
  __builtin_amdgcn_wave_barrier();
}
__device__ __forceinline__ unsigned warp_max(unsigned value) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2)
    value = max(value, static_cast<unsigned>(__shfl_xor(static_cast<int>(value), offset, kWarp)));
  return value;
}

#else

#define HPCX_GRID_CONSTANT __grid_constant__

/// Words in memory that all blocks of the device see. Fences as above: they release and acquire,
/// all that a flag needs, while __threadfence() would also be sequentially consistent, and slower.
struct DeviceScope {
  __device__ __forceinline__ static void fence() {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  }
  __device__ __forceinline__ static void publish(std::uint64_t* to, WordPair pair) {
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(pair.x), "l"(pair.y)
                 : "memory");
  }
  __device__ __forceinline__ static WordPair observe(const std::uint64_t* from) {
    WordPair pair;
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(pair.x), "=l"(pair.y)
                 : "l"(from)
                 : "memory");
    return pair;
  }
};

/// Words in memory that several devices see.
struct SystemScope {
  __device__ __forceinline__ static void fence() {
    asm volatile("fence.acq_rel.sys;" ::: "memory");
  }
  __device__ __forceinline__ static void publish(std::uint64_t* to, WordPair pair) {
    asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(pair.x), "l"(pair.y)
                 : "memory");
  }
  __device__ __forceinline__ static WordPair observe(const std::uint64_t* from) {
    WordPair pair;
    asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(pair.x), "=l"(pair.y)
                 : "l"(from)
                 : "memory");
    return pair;
  }
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/// Words in the shared memory of a block of the same cluster.
struct ClusterScope {
  __device__ __forceinline__ static void publish(std::uint64_t* to, WordPair pair) {
    asm volatile("st.relaxed.cluster.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(pair.x), "l"(pair.y)
                 : "memory");
  }
  __device__ __forceinline__ static WordPair observe(const std::uint64_t* from) {
    WordPair pair;
    asm volatile("ld.relaxed.cluster.v2.u64 {%0, %1}, [%2];"
                 : "=l"(pair.x), "=l"(pair.y)
                 : "l"(from)
                 : "memory");
    return pair;
  }
};
/// The same words in the block's own shared memory, where the way to them is shorter.
struct OwnClusterScope {
  __device__ __forceinline__ static void publish(std::uint64_t* to, WordPair pair) {
    asm volatile("st.relaxed.cluster.shared::cta.v2.u64 [%0], {%1, %2};" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(to))),
                 "l"(pair.x), "l"(pair.y)
                 : "memory");
  }
  __device__ __forceinline__ static WordPair observe(const std::uint64_t* from) {
    WordPair pair;
    asm volatile("ld.relaxed.cluster.shared::cta.v2.u64 {%0, %1}, [%2];"
                 : "=l"(pair.x), "=l"(pair.y)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(from)))
                 : "memory");
    return pair;
  }
};
/// The same place as `own` in the shared memory of a block of the cluster.
__device__ __forceinline__ std::uint64_t* of_peer(std::uint64_t* own, int block) {
  std::uint64_t* peer;
  asm("mapa.u64 %0, %1, %2;" : "=l"(peer) : "l"(own), "r"(block));
  return peer;
}
/// All threads of the cluster have arrived, and see what the others wrote before.
__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
#define HPCX_PANEL_CLUSTER 1
#endif

__device__ __forceinline__ void publish_flag(unsigned* to, unsigned value) {
  *static_cast<volatile unsigned*>(to) = value;
}
__device__ __forceinline__ unsigned observe_flag(const unsigned* from) {
  return *static_cast<const volatile unsigned*>(from);
}
/// Past the first-level cache, which other multiprocessors' writes do not reach.
__device__ __forceinline__ double load_shared_by_grid(const double* from) {
  return __ldcg(from);
}
/// Past all caches of the device: the host's memory.
__device__ __forceinline__ double load_from_host(const double* from) {
  double value;
  asm volatile("ld.relaxed.sys.global.f64 %0, [%1];" : "=d"(value) : "l"(from) : "memory");
  return value;
}
__device__ __forceinline__ double shuffle(double value, int lane) {
  return __shfl_sync(0xffffffffu, value, lane);
}
__device__ __forceinline__ unsigned shuffle(unsigned value, int lane) {
  return __shfl_sync(0xffffffffu, value, lane);
}
/// A bit for each lane of the warp for which `holds` is true.
__device__ __forceinline__ unsigned warp_ballot(bool holds) {
  return __ballot_sync(0xffffffffu, holds);
}
__device__ __forceinline__ void sync_warp() {
  __syncwarp();
}
__device__ __forceinline__ unsigned warp_max(unsigned value) {
  return __reduce_max_sync(0xffffffffu, value);
}

#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define HPCX_PANEL_MMA 1
/// c := a b + c with the tensor cores: a 16 x 16, b 16 x 8, c 16 x 8. Lane 4 g + t holds
/// a[i] = a(g + 8 (i % 2), t + 4 (i / 2)), b[i] = b(t + 4 i, g),
/// c[i] = c(g + 8 (i / 2), 2 t + i % 2).
__device__ __forceinline__ void multiply_add(double (&c)[4], const double (&a)[8],
                                             const double (&b)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
        "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
}
#endif

}  // namespace hpcx::HPCX_GPU_NAMESPACE
