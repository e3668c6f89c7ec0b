#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "hpcx/mixed.h"

// The steps of factorize_diagonal() that are no products.

namespace hpcx::gpu_cuda::diagonal {

inline constexpr std::int64_t kBase = 128;  ///< edge of the blocks that one thread block factorizes

/// Memory of a factorization in FP32. The edge is a multiple of kBase; beyond the block's width all
/// is as for the identity.
///
/// `lower` and `upper` hold L and U beside the base blocks until their inverses take the place, and
/// zeros in the other triangle. `upper` is RowMajor: seen by columns it is a lower triangle as
/// well, `pair_stride(edge)` elements behind `lower`, and both are inverted by the same calls.
struct Workspace {
  std::int64_t width, edge;
  float* matrix;  ///< ColumnMajor: what is left to factorize; base blocks keep their L and U
  float* lower;   ///< ColumnMajor
  float* upper;   ///< RowMajor
  double* sums;   ///< of the columns of |U^-1|, by rows of base blocks

  static constexpr std::int64_t pair_stride(std::int64_t edge) { return edge * (edge + 1); }

  Workspace(void* memory, std::int64_t block_width)
      : width(block_width),
        edge((block_width + kBase - 1) / kBase * kBase),
        matrix(static_cast<float*>(memory)),
        lower(matrix + edge * edge),
        upper(lower + pair_stride(edge)),
        sums(reinterpret_cast<double*>(matrix)) {}
  /// Zeros go to both triangles.
  std::int64_t inverse_bytes() const {
    return static_cast<std::int64_t>(sizeof(float)) * (pair_stride(edge) + edge * edge);
  }
};

/// matrix := block; *result := no bad column.
void launch_load(cudaStream_t stream, MixedView block, const Workspace& work,
                 DiagonalResult* result);
/// Factorizes the base block at (first, first) in place, and writes its two inverses.
void launch_base(cudaStream_t stream, const Workspace& work, std::int64_t first,
                 DiagonalResult* result);
/// block := L and U.
void launch_store(cudaStream_t stream, const Workspace& work, MixedView block);
/// result->scale := s, by the sums of the columns of |U^-1|.
void launch_scale(cudaStream_t stream, const Workspace& work, DiagonalResult* result);
/// The inverses in the format of the caller, U^-1 times s.
void launch_inverses(cudaStream_t stream, const Workspace& work, const DiagonalBlock& to);

}  // namespace hpcx::gpu_cuda::diagonal
