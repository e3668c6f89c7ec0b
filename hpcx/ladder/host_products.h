#pragma once

#include <cstdint>

#include "hpcx/ladder.h"
#include "ladder/tall_levels.h"

/// The host's rungs as functions of a range of rows of C, for one thread.
namespace hpcx::ladder {

/// An operand of a rung: row-major, and for Transposed B's columns in `b`.
template <class T>
struct HostRows {
  const T* a = nullptr;
  const T* b = nullptr;
  T* c = nullptr;
  std::int64_t lda = 1, ldb = 1, ldc = 1;
  std::int64_t n = 0, k = 0;
  std::int64_t first = 0, last = 0;  ///< rows
  std::int64_t block = 1;
};

/// Compiled for this processor's vectors. Loops is not among them: it has none.
template <class T>
struct HostKernels {
  void (*simd)(const HostRows<T>&) = nullptr;
  void (*blocked)(const HostRows<T>&) = nullptr;
  void (*transposed)(const HostRows<T>&) = nullptr;
};
template <class T>
HostKernels<T> host_kernels();
template <class T>
void multiply_by_loops(const HostRows<T>& rows);

/// R of the rows [first, first + count) of a level, cols x cols, ColumnMajor without gaps.
void factorize_tall_leaf(const TallSource& source, std::int64_t first, std::int64_t count,
                         double* r);

}  // namespace hpcx::ladder
