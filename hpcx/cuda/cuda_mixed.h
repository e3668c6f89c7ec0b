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
  void generate(StreamRef stream, const MixedMatrix& matrix, IndexMap rows, IndexMap cols,
                double factor, MixedView tile) override;
  void multiply(StreamRef stream, const MixedMatrix& matrix, IndexMap rows, std::int64_t count,
                IndexMap cols, std::int64_t columns, const double* x, double* y) override;
  void row_sums(StreamRef stream, const MixedMatrix& matrix, IndexMap rows, std::int64_t count,
                IndexMap cols, std::int64_t columns, bool diagonal, double* sums) override;
  void convert(StreamRef stream, MixedView source, MixedView destination) override;
  void gemm(StreamRef stream, float alpha, MixedView a, MixedView b, float beta,
            MixedView c) override;
  void leave_free(StreamRef stream, int compute_units) override;
  void factorize_diagonal(StreamRef stream, MixedView block, void* workspace,
                          MixedView inverse_lower, MixedView inverse_upper,
                          DiagonalResult* result) override;
  void gemv(StreamRef stream, float alpha, MixedView a, const float* x, float* y) override;
  void solve(StreamRef stream, Triangle triangle, MixedView t, float* x) override;
};

}  // namespace hpcx::gpu_cuda
