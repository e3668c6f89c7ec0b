#pragma once

#include <ucontext.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

// Kernels of GPUs on a host: the threads of blocks are contexts of one thread, which change where
// they wait for each other. cuda_on_host and hip_on_host add the language of a vendor.

#define __host__
#define __device__
#define __global__
#define __shared__ static
#define __launch_bounds__(...)

struct double2 {
  double x, y;
};
struct KernelIndex {
  unsigned x = 0;
};
inline KernelIndex threadIdx, blockIdx, blockDim, gridDim;

namespace kernel_on_host {

using Kernel = std::function<void()>;

inline constexpr unsigned kWarp = 32;

struct Barrier {
  unsigned size = 0, arrived = 0, round = 0;
};

struct Thread {
  ucontext_t context{};
  std::vector<char> stack = std::vector<char>(1 << 16);
  bool done = false;
  const Barrier* at = nullptr;  // waits while this is in that round
  unsigned round = 0;

  bool waits() const { return at != nullptr && at->round == round; }
};

/// 32 threads, which is half a wavefront of 64 lanes.
struct Warp {
  Barrier barrier{.size = kWarp};
  std::uint64_t words[kWarp]{};
  bool at_ballot = false;  // of its wavefront
  std::uint64_t ballot = 0;
};

struct Block {
  std::vector<Thread> threads{};
  Barrier all{};
  Warp warps[32]{};
};

struct Chip {
  std::vector<Block> blocks{};
  ucontext_t scheduler{};
  Block* block = nullptr;  // whose thread runs now
  const Kernel* kernel = nullptr;
};
inline Chip chip;

inline Thread& own_thread() {
  return chip.block->threads[threadIdx.x];
}
/// Lets the others go on.
inline void go_on() {
  swapcontext(&own_thread().context, &chip.scheduler);
}
inline void wait_for(Barrier& barrier) {
  if (++barrier.arrived == barrier.size) {
    barrier.arrived = 0;
    ++barrier.round;
    return;
  }
  own_thread().at = &barrier;
  own_thread().round = barrier.round;
  go_on();
  own_thread().at = nullptr;
}
inline unsigned warp() {
  return threadIdx.x / kWarp;
}
inline unsigned lane() {
  return threadIdx.x % kWarp;
}
inline Warp& own_warp() {
  return chip.block->warps[warp()];
}
inline void wait_for_warp() {
  wait_for(own_warp().barrier);
}
/// The words of all lanes of the warp, each lane giving its own.
template <class Use>
auto with_words(std::uint64_t mine, Use use) {
  own_warp().words[lane()] = mine;
  wait_for_warp();
  const auto result = use(own_warp().words);
  wait_for_warp();
  return result;
}
/// The value of another lane.
template <class T>
T value_of(T value, unsigned from) {
  std::uint64_t mine = 0;
  std::memcpy(&mine, &value, sizeof value);
  const std::uint64_t other = with_words(mine, [=](const auto& words) { return words[from]; });
  std::memcpy(&value, &other, sizeof value);
  return value;
}

inline void thread_main() {
  (*chip.kernel)();
  own_thread().done = true;
  go_on();
}

inline void start(Block& block, unsigned threads) {
  block.threads.resize(threads);
  block.all = {.size = threads};
  for (Warp& warp : block.warps)
    warp = {};
  for (Thread& thread : block.threads) {
    thread.done = false;
    thread.at = nullptr;
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.data();
    thread.context.uc_stack.ss_size = thread.stack.size();
    makecontext(&thread.context, thread_main, 0);
  }
}

/// Every thread of the block that can go on does so once; false if all have ended.
inline bool step(Block& block) {
  bool any = false;
  for (unsigned i = 0; i < block.threads.size(); ++i) {
    Thread& thread = block.threads[i];
    if (thread.done) continue;
    any = true;
    if (thread.waits()) continue;
    chip.block = &block;
    threadIdx.x = i;
    swapcontext(&chip.scheduler, &thread.context);
  }
  return any;
}

/// kernel<<<..., threads>>> for blocks first, first + 1, ..., one after the other.
inline void launch(unsigned first, unsigned count, unsigned threads, const Kernel& kernel) {
  chip.kernel = &kernel;
  chip.blocks.resize(1);
  blockDim.x = threads;
  for (blockIdx.x = first; blockIdx.x < first + count; ++blockIdx.x) {
    start(chip.blocks[0], threads);
    while (step(chip.blocks[0])) {
    }
  }
}

/// kernels[0]<<<blocks, threads>>>, kernels[1]<<<blocks, threads>>>, ..., with all blocks of all
/// of them resident.
inline void launch_resident(const std::vector<Kernel>& kernels, unsigned blocks, unsigned threads) {
  chip.blocks.resize(kernels.size() * blocks);
  blockDim.x = threads;
  gridDim.x = blocks;
  for (Block& block : chip.blocks)
    start(block, threads);
  for (bool any = true; any;) {
    any = false;
    for (std::size_t i = 0; i < chip.blocks.size(); ++i) {
      chip.kernel = &kernels[i / blocks];
      blockIdx.x = static_cast<unsigned>(i % blocks);
      any |= step(chip.blocks[i]);
    }
  }
}

}  // namespace kernel_on_host

inline void __syncthreads() {
  kernel_on_host::wait_for(kernel_on_host::chip.block->all);
}
