#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "hpcx/mixed.h"

namespace hpcx::gpu_cuda {

/// The number in the format T, rounded once, to nearest with ties to even.
template <class T, class Number>
__device__ T rounded(Number number) {
  if constexpr (std::is_same_v<Number, double> && std::is_same_v<T, __half>)
    return __double2half(number);
  else if constexpr (std::is_same_v<Number, double> && std::is_same_v<T, __nv_bfloat16>)
    return __double2bfloat16(number);
  else if constexpr (std::is_same_v<T, __half>)
    return __float2half_rn(number);
  else if constexpr (std::is_same_v<T, __nv_bfloat16>)
    return __float2bfloat16_rn(number);
  else
    return static_cast<T>(number);
}

/// Calls use(std::type_identity<T>()) for the type of the format.
template <class Use>
void with_type(Precision precision, const Use& use) {
  switch (precision) {
    case Precision::Fp16:
      return use(std::type_identity<__half>());
    case Precision::Bf16:
      return use(std::type_identity<__nv_bfloat16>());
    case Precision::Fp32:
      return use(std::type_identity<float>());
  }
}

/// Every line of the matrix begins on a boundary of `bytes`.
inline bool lines_begin_at(MixedView a, std::int64_t bytes) {
  const bool by_rows = a.layout == Layout::RowMajor;
  return reinterpret_cast<std::uintptr_t>(a.data) % static_cast<std::uintptr_t>(bytes) == 0 &&
         (a.ld * bytes_of(a.precision) % bytes == 0 || (by_rows ? a.rows : a.cols) <= 1);
}

}  // namespace hpcx::gpu_cuda
