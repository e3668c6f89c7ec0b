#pragma once

#include <bit>
#include <type_traits>

#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// Neighbouring elements that a thread loads or stores at once, 16 bytes an instruction where there
/// are as many.
template <class T, int kCount>
struct Pack {
  T element[kCount];

  static constexpr int kBytes = kCount * static_cast<int>(sizeof(T));
  using Word = std::conditional_t<
      kBytes % 16 == 0, uint4,
      std::conditional_t<kBytes == 8, unsigned long long,
                         std::conditional_t<kBytes == 4, unsigned, unsigned short>>>;
  struct Words {
    Word word[kBytes / sizeof(Word)];
  };
};

template <int kCount, class T>
__device__ Pack<T, kCount> load(const T* from) {
  using Words = typename Pack<T, kCount>::Words;
  Words words;
#pragma unroll
  for (int w = 0; w < static_cast<int>(sizeof(Words) / sizeof(words.word[0])); ++w)
    words.word[w] = reinterpret_cast<const typename Pack<T, kCount>::Word*>(from)[w];
  return std::bit_cast<Pack<T, kCount>>(words);
}

template <class T, int kCount>
__device__ void store(T* to, const Pack<T, kCount>& pack) {
  using Words = typename Pack<T, kCount>::Words;
  const auto words = std::bit_cast<Words>(pack);
#pragma unroll
  for (int w = 0; w < static_cast<int>(sizeof(Words) / sizeof(words.word[0])); ++w)
    reinterpret_cast<typename Pack<T, kCount>::Word*>(to)[w] = words.word[w];
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
