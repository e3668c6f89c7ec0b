#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "support/kernel_on_host.h"

// As much of HIP's language as the panel's kernels use, for a host compiler: a test includes them
// behind this.

#define __HIP_PLATFORM_AMD__ 1
#define __forceinline__ inline

using hipStream_t = void*;

namespace hip_on_host {

using namespace kernel_on_host;

/// Lanes of a wavefront: 32, or 64 of two warps.
inline unsigned wavefront = 64;

/// Whoever looks into memory may wait for others.
template <class T>
T load(const T* from) {
  go_on();
  return *from;
}

}  // namespace hip_on_host

#define __hip_atomic_load(from, order, scope) hip_on_host::load(from)
#define __hip_atomic_store(to, value, order, scope) static_cast<void>(*(to) = (value))
#define __builtin_amdgcn_fence(order, scope) static_cast<void>(0)
#define __builtin_amdgcn_wave_barrier() hip_on_host::wait_for_warp()

inline void __threadfence() {}
inline void __threadfence_system() {}

inline unsigned __lane_id() {
  return threadIdx.x % hip_on_host::wavefront;
}
/// Among the `width` lanes to which this one belongs; hpcx asks for warps alone.
template <class T>
T __shfl(T value, int lane, int width) {
  if (width != static_cast<int>(hip_on_host::kWarp)) std::abort();
  return hip_on_host::value_of(value, static_cast<unsigned>(lane % width));
}
template <class T>
T __shfl_xor(T value, int distance, int width) {
  return __shfl(value, static_cast<int>(hip_on_host::lane()) ^ distance, width);
}
/// A bit for each lane of the wavefront that is at a ballot: a wavefront's other half comes along
/// where it is in time.
inline std::uint64_t __ballot(bool holds) {
  using namespace hip_on_host;
  Warp& mine = own_warp();
  mine.ballot = with_words(holds, [](const auto& words) {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < kWarp; ++i)
      bits |= words[i] << i;
    return bits;
  });
  if (wavefront == kWarp) return mine.ballot;
  mine.at_ballot = true;
  go_on();
  const Warp& other = chip.block->warps[warp() ^ 1u];
  const std::uint64_t of_other = other.at_ballot ? other.ballot : 0;
  const std::uint64_t bits =
      warp() % 2 == 0 ? of_other << kWarp | mine.ballot : mine.ballot << kWarp | of_other;
  wait_for_warp();
  mine.at_ballot = false;
  return bits;
}
inline int __ffs(int bits) {
  return std::countr_zero(static_cast<unsigned>(bits)) + 1;
}
inline double __longlong_as_double(long long bits) {
  return std::bit_cast<double>(bits);
}
inline long long __double_as_longlong(double value) {
  return std::bit_cast<long long>(value);
}
using std::max;
using std::min;
