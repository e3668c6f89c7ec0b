#pragma once

#include <cstdint>

#include "gpu/check.h"
#include "hpcx/error.h"
#include "hpcx/matrix_view.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

inline constexpr int kThreads = 256;

__host__ __device__ constexpr std::int64_t ceil_div(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

/// All grids are one-dimensional (the other dimensions end at 65535) and decoded by the kernel.
inline unsigned grid_size(std::int64_t blocks) {
  HPCX_ASSERT(blocks > 0 && blocks <= 0x7fffffff);
  return static_cast<unsigned>(blocks);
}

/// A matrix as its memory has it: `lines` lines of `length` contiguous doubles, `ld` apart.
template <class T>
struct Lines {
  T* data = nullptr;
  std::int64_t lines = 0;
  std::int64_t length = 0;
  std::int64_t ld = 1;
};

template <class T>
Lines<T> lines_of(BasicMatrixView<T> a) {
  if (a.layout == Layout::RowMajor) return {a.data, a.rows, a.cols, a.ld};
  return {a.data, a.cols, a.rows, a.ld};
}

/// Every line of the matrix starts on a boundary of 16 bytes.
template <class T>
bool vectors_fit(Lines<T> a) {
  return reinterpret_cast<std::uintptr_t>(a.data) % 16 == 0 && (a.ld % 2 == 0 || a.lines <= 1);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
