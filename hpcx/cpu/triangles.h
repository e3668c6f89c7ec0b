#pragma once

#include <cstdint>
#include <vector>

#include "hpcx/blas.h"

namespace hpcx::cpu {

/// inverse := lower^-1, the strict upper part of inverse is zero already.
///
///     ( L11   0  )^-1   (       M11          0  )
///     ( L21  L22 )    = ( -M22 L21 M11      M22 ),  M = L^-1
template <class T>
void invert_lower(Diagonal diagonal, BasicMatrixView<const T> lower, BasicMatrixView<T> inverse) {
  const std::int64_t n = lower.rows;
  constexpr std::int64_t kSmall = 16;
  if (n <= kSmall) {
    for (std::int64_t j = 0; j < n; ++j) {
      inverse(j, j) = diagonal == Diagonal::Unit ? T{1} : 1 / lower(j, j);
      for (std::int64_t i = j + 1; i < n; ++i) {
        T sum = 0;
        for (std::int64_t k = j; k < i; ++k)
          sum += lower(i, k) * inverse(k, j);
        inverse(i, j) = diagonal == Diagonal::Unit ? -sum : -sum / lower(i, i);
      }
    }
    return;
  }
  const std::int64_t half = (n / 2 + kSmall - 1) / kSmall * kSmall, rest = n - half;
  const auto m11 = inverse.block(0, 0, half, half), m22 = inverse.block(half, half, rest, rest);
  invert_lower(diagonal, lower.block(0, 0, half, half), m11);
  invert_lower(diagonal, lower.block(half, half, rest, rest), m22);
  std::vector<T> product(static_cast<std::size_t>(rest * half));
  const BasicMatrixView<T> l21_m11{product.data(), rest, half, rest, Layout::ColumnMajor};
  host::gemm({T{1}, lower.block(half, 0, rest, half), m11, T{0}, l21_m11});
  host::gemm({T{-1}, m22, l21_m11, T{0}, inverse.block(half, 0, rest, half)});
}

}  // namespace hpcx::cpu
