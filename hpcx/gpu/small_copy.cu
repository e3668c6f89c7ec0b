#include "gpu/kernels.h"

#include <algorithm>
#include <cstdint>

#include "gpu/launch.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

constexpr int kUnroll = 4;

/// Past the caches of the device: a kernel of another stream may have read this memory of the host
/// before the host wrote what is there now.
template <class Word>
__device__ __forceinline__ Word load_uncached(const Word* from) {
#if defined(__HIP_PLATFORM_AMD__)
  if constexpr (sizeof(Word) == 16) {
    const auto* const halves = reinterpret_cast<const std::uint64_t*>(from);
    const std::uint64_t both[] = {
        __hip_atomic_load(halves, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM),
        __hip_atomic_load(halves + 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM)};
    Word word;
    __builtin_memcpy(&word, both, sizeof(word));
    return word;
  } else {
    return __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
  }
#else
  return __ldcv(from);
#endif
}

/// Words of all lines, then what is left of each line behind its last whole word. A thread has
/// kUnroll loads under way before the first store: one way over the link takes a microsecond.
template <class Word>
__global__ void __launch_bounds__(kThreads) copy_lines(StridedCopy lines) {
  const auto* const source = static_cast<const std::byte*>(lines.source);
  auto* const destination = static_cast<std::byte*>(lines.destination);
  const auto in_line = static_cast<std::uint32_t>(lines.width / sizeof(Word));
  const auto words = static_cast<std::uint32_t>(lines.height) * in_line;
  const std::uint32_t first = blockIdx.x * kThreads * kUnroll + threadIdx.x;

  Word held[kUnroll];
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const std::uint32_t i = first + u * kThreads;
    if (i < words)
      held[u] = load_uncached(
          reinterpret_cast<const Word*>(source + i / in_line * lines.source_pitch) + i % in_line);
  }
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const std::uint32_t i = first + u * kThreads;
    if (i < words)
      reinterpret_cast<Word*>(destination + i / in_line * lines.destination_pitch)[i % in_line] =
          held[u];
  }

  const auto left = static_cast<std::uint32_t>(lines.width % sizeof(Word));
  const auto bytes = static_cast<std::uint32_t>(lines.height) * left;
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < bytes;
       i += gridDim.x * kThreads) {
    const std::uint32_t line = i / left, at = in_line * sizeof(Word) + i % left;
    const auto* const from =
        reinterpret_cast<const unsigned char*>(source + line * lines.source_pitch) + at;
    reinterpret_cast<unsigned char*>(destination + line * lines.destination_pitch)[at] =
        load_uncached(from);
  }
}

template <class Word>
bool words_fit(const StridedCopy& lines) {
  std::uintptr_t all = reinterpret_cast<std::uintptr_t>(lines.source) |
                       reinterpret_cast<std::uintptr_t>(lines.destination);
  if (lines.height > 1) all |= lines.source_pitch | lines.destination_pitch;
  return lines.width >= sizeof(Word) && all % sizeof(Word) == 0;
}

template <class Word>
void launch(gpuStream_t stream, const StridedCopy& lines) {
  const auto words = static_cast<std::int64_t>(lines.width / sizeof(Word) * lines.height);
  copy_lines<Word><<<grid_size(ceil_div(words, kThreads * kUnroll)), kThreads, 0, stream>>>(lines);
  HPCX_CHECK_LAUNCH("copy_lines");
}

}  // namespace

void launch_small_copy(gpuStream_t stream, const StridedCopy& lines) {
  if (words_fit<uint4>(lines))
    launch<uint4>(stream, lines);
  else if (words_fit<unsigned long long>(lines))
    launch<unsigned long long>(stream, lines);
  else
    launch<unsigned char>(stream, lines);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
