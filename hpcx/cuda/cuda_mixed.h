#pragma once

#include "gpu/blas.h"
#include "gpu/stream.h"
#include "hpcx/mixed.h"

namespace hpcx::gpu_cuda {

/// destination := factor source, rounded to nearest; same shape and layout. Zero for a factor of 0.
void launch_scaled_copy(cudaStream_t stream, float factor, MixedView source, MixedView destination);

/// Mixed precision on CUDA devices; every operation is a method in one of the mixed_*.cu files,
/// products and their sequence in a diagonal block in mixed.cpp. Partial sums lie in the workspace
/// of the stream's BLAS, in which no product is under way meanwhile.
class CudaMixed final : public MixedPrecision {
 public:
  void generate(StreamRef stream, const MixedPart& part, double factor, MixedView tile) override;
  void multiply(StreamRef stream, const MixedRowSums& y, const double* x) override;
  void row_sums(StreamRef stream, const MixedRowSums& sums, bool diagonal) override;
  void convert(StreamRef stream, MixedView source, MixedView destination) override;
  void gemm(StreamRef stream, const MixedProduct& product) override;
  void leave_free(StreamRef stream, int compute_units) override;
  void factorize_diagonal(StreamRef stream, const DiagonalBlock& all) override;
  void gemv(StreamRef stream, const MixedVectorProduct& product) override;
  void solve(StreamRef stream, Triangle triangle, MixedView t, float* x) override;
};

}  // namespace hpcx::gpu_cuda
