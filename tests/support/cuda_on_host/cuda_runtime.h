#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "support/kernel_on_host.h"

// As much of CUDA's language as the kernels of emulated products use, for a host compiler: a test
// includes them behind this.

#define __grid_constant__

namespace cuda_on_host = kernel_on_host;

using cudaStream_t = void*;
struct uint2 {
  unsigned x, y;
};
struct uint4 {
  unsigned x, y, z, w;
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

template <class T>
T __shfl_xor_sync(unsigned, T value, unsigned distance) {
  return cuda_on_host::value_of(value, cuda_on_host::lane() ^ distance);
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
