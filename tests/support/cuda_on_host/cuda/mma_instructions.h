#pragma once

#include <cuda_runtime.h>

#include <deque>

// The functions of hpcx/cuda/mma_instructions.h, after the PTX ISA. Copies are carried out when
// they are awaited, as late as they may.

namespace hpcx::gpu_cuda::mma {

inline std::int8_t memory[1 << 17];

struct Copy {
  unsigned to;
  const void* from;
  bool exists;
};
struct Copies {
  std::vector<Copy> open{};
  std::deque<std::vector<Copy>> groups{};
};
inline Copies copies_of[1024];

/// The first thing that a thread of a kernel asks for.
inline unsigned shared_memory() {
  copies_of[threadIdx.x] = {};
  return 0;
}
inline void copy_16(unsigned to, const void* from, bool exists) {
  std::memset(memory + to, 0x5a, 16);
  copies_of[threadIdx.x].open.push_back({to, from, exists});
}
inline void end_copies() {
  Copies& copies = copies_of[threadIdx.x];
  copies.groups.push_back(std::move(copies.open));
  copies.open.clear();
}
template <int kLater>
void await_copies() {
  Copies& copies = copies_of[threadIdx.x];
  for (; copies.groups.size() > kLater; copies.groups.pop_front())
    for (const Copy& copy : copies.groups.front()) {
      if (copy.exists)
        std::memcpy(memory + copy.to, copy.from, 16);
      else
        std::memset(memory + copy.to, 0, 16);
    }
}

inline void load_matrices(unsigned (&words)[4], unsigned address) {
  cuda_on_host::with_words(address, [&](const auto& addresses) {
    const unsigned lane = cuda_on_host::lane();
    for (unsigned t = 0; t < 4; ++t)
      std::memcpy(&words[t], memory + addresses[8 * t + lane / 4] + lane % 4 * 4, 4);
    return 0;
  });
}

struct Fragments {
  std::int8_t a[4][4], b[2][4];
};
inline void multiply(std::int32_t (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  Fragments mine;
  std::memcpy(mine.a, a, sizeof mine.a);
  std::memcpy(mine.b[0], &b0, 4);
  std::memcpy(mine.b[1], &b1, 4);
  cuda_on_host::with_words(reinterpret_cast<std::uintptr_t>(&mine), [&](const auto& words) {
    const auto of = [&](unsigned lane) -> const Fragments& {
      return *reinterpret_cast<const Fragments*>(words[lane]);
    };
    for (unsigned r = 0; r < 4; ++r) {
      const unsigned row = cuda_on_host::lane() / 4 + 8 * (r / 2),
                     column = cuda_on_host::lane() % 4 * 2 + r % 2;
      for (unsigned k = 0; k < 32; ++k) {
        const unsigned t = k % 16 / 4;
        d[r] += of(row % 8 * 4 + t).a[row / 8 + 2 * (k / 16)][k % 4] *
                of(column * 4 + t).b[k / 16][k % 4];
      }
    }
    return 0;
  });
}

}  // namespace hpcx::gpu_cuda::mma
