#pragma once

#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

// As much of CUDA's language as the kernels of emulated products use, for a host compiler: a test
// includes them behind this. The threads of a block are contexts of one thread, which change where
// they wait for each other.

#define __host__
#define __device__
#define __global__
#define __shared__ static
#define __grid_constant__
#define __launch_bounds__(...)

using cudaStream_t = void*;
struct uint2 {
  unsigned x, y;
};
struct uint4 {
  unsigned x, y, z, w;
};
struct double2 {
  double x, y;
};
inline uint2 make_uint2(unsigned x, unsigned y) {
  return {x, y};
}
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}
inline double2 make_double2(double x, double y) {
  return {x, y};
}

struct CudaIndex {
  unsigned x = 0;
};
inline CudaIndex threadIdx, blockIdx, blockDim;

namespace cuda_on_host {

struct Thread {
  ucontext_t context{};
  std::vector<char> stack = std::vector<char>(1 << 16);
  bool done = false;
};

struct Barrier {
  unsigned size = 0, arrived = 0, round = 0;
};

struct Block {
  std::vector<Thread> threads{};
  ucontext_t scheduler{};
  const std::function<void()>* kernel = nullptr;
  Barrier all{}, warps[32]{};
  std::uint64_t words[32][32]{};  // of a warp's lanes
};
inline Block block;

inline void go_on() {
  swapcontext(&block.threads[threadIdx.x].context, &block.scheduler);
}
inline void wait_for(Barrier& barrier) {
  if (++barrier.arrived == barrier.size) {
    barrier.arrived = 0;
    ++barrier.round;
    return;
  }
  const unsigned round = barrier.round;
  while (barrier.round == round)
    go_on();
}
inline unsigned warp() {
  return threadIdx.x / 32;
}
inline unsigned lane() {
  return threadIdx.x % 32;
}
inline void wait_for_warp() {
  wait_for(block.warps[warp()]);
}
/// The words of all lanes of the warp, each lane giving its own.
template <class Use>
auto with_words(std::uint64_t mine, Use use) {
  block.words[warp()][lane()] = mine;
  wait_for_warp();
  const auto result = use(block.words[warp()]);
  wait_for_warp();
  return result;
}

inline void thread_main() {
  (*block.kernel)();
  block.threads[threadIdx.x].done = true;
  go_on();
}

/// kernel<<<..., threads>>> for blocks first, first + 1, ...
inline void launch(unsigned first, unsigned count, unsigned threads,
                   const std::function<void()>& kernel) {
  blockDim.x = threads;
  block.kernel = &kernel;
  block.threads.resize(threads);
  for (unsigned b = first; b < first + count; ++b) {
    blockIdx.x = b;
    block.all = {.size = threads};
    for (Barrier& barrier : block.warps)
      barrier = {.size = 32};
    for (Thread& thread : block.threads) {
      thread.done = false;
      getcontext(&thread.context);
      thread.context.uc_stack.ss_sp = thread.stack.data();
      thread.context.uc_stack.ss_size = thread.stack.size();
      makecontext(&thread.context, thread_main, 0);
    }
    for (bool any = true; any;) {
      any = false;
      for (unsigned i = 0; i < threads; ++i) {
        if (block.threads[i].done) continue;
        threadIdx.x = i;
        swapcontext(&block.scheduler, &block.threads[i].context);
        any = true;
      }
    }
  }
}

}  // namespace cuda_on_host

inline void __syncthreads() {
  cuda_on_host::wait_for(cuda_on_host::block.all);
}
template <class T>
T __shfl_xor_sync(unsigned, T value, unsigned distance) {
  std::uint64_t mine = 0;
  std::memcpy(&mine, &value, sizeof value);
  const std::uint64_t other = cuda_on_host::with_words(
      mine, [=](const auto& words) { return words[cuda_on_host::lane() ^ distance]; });
  std::memcpy(&value, &other, sizeof value);
  return value;
}
inline std::int32_t __reduce_max_sync(unsigned, std::int32_t value) {
  return cuda_on_host::with_words(static_cast<std::uint32_t>(value), [](const auto& words) {
    auto largest = static_cast<std::int32_t>(words[0]);
    for (const std::uint64_t word : words)
      largest = std::max(largest, static_cast<std::int32_t>(word));
    return largest;
  });
}
inline std::uint32_t __byte_perm(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
  const std::uint64_t bytes = std::uint64_t{high} << 32 | low;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= static_cast<std::uint32_t>(bytes >> (8 * (selector >> 4 * i & 7)) & 0xff) << 8 * i;
  return result;
}
inline std::int32_t __dp4a(std::int32_t x, std::int32_t y, std::int32_t sum) {
  for (int shift = 0; shift < 32; shift += 8)
    sum += static_cast<std::int8_t>(x >> shift) * static_cast<std::int8_t>(y >> shift);
  return sum;
}
inline float __int_as_float(std::int32_t bits) {
  return std::bit_cast<float>(bits);
}
inline std::int32_t __float_as_int(float value) {
  return std::bit_cast<std::int32_t>(value);
}
inline double __longlong_as_double(long long bits) {
  return std::bit_cast<double>(bits);
}
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(std::uint64_t{static_cast<unsigned>(high)} << 32 |
                               static_cast<unsigned>(low));
}
template <class T>
T __ldcs(const T* address) {
  return *address;
}
inline std::int32_t max(std::int32_t x, std::int32_t y) {
  return x > y ? x : y;
}
