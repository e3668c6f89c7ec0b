#pragma once

#include <cuda_runtime.h>

#include "cuda/diagonal_workspace.h"
#include "gpu/check.h"
#include "hpcx/mixed.h"

// The steps of factorize_diagonal() that are no products.

namespace hpcx::gpu_cuda::diagonal {

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
