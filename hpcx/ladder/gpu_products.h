#pragma once

#include "gpu/launch.h"
#include "hpcx/ladder.h"
#include "ladder/tall_levels.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

inline constexpr int kMostStages = 4;

/// Operands of a product, all row-major.
template <class T>
struct DeviceProduct {
  const T* a = nullptr;
  const T* b = nullptr;
  T* c = nullptr;
  std::int64_t lda = 1, ldb = 1, ldc = 1;
  std::int64_t m = 0, n = 0, k = 0;
};

/// One thread an element, blocks of width x width threads; width 4, 8, 16 or 32.
template <class T>
void multiply_elements(gpuStream_t stream, int width, const DeviceProduct<T>& product);
/// Tiles in shared memory, 1 to kMostStages of them at once.
template <class T>
void multiply_tiles(gpuStream_t stream, int stages, const DeviceProduct<T>& product);

/// The R of every leaf of a level, one thread block a leaf.
void factorize_tall_leaves(gpuStream_t stream, const TallSource& source, double* out);

}  // namespace hpcx::HPCX_GPU_NAMESPACE
