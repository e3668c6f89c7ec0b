#pragma once

#include <cstdint>

#include "hpcx/blas.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// Maps mathematical views to the vendor's column-major library.
class GpuBlas final : public Blas {
 public:
  void gemm(StreamRef stream, const MatrixProduct& product) override;
  void trsm(StreamRef stream, const TriangularView& triangular, MatrixView b) override;
  void gemv(StreamRef stream, const VectorProduct& product) override;
};

/// `count` products of one shape, the operands of each a fixed number of doubles after the last.
struct GemmBatch {
  std::int64_t count = 1;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
  GemmBatch transposed() const { return {count, stride_b, stride_a, stride_c}; }
};
/// All products of the batch; the views are the first one's.
void gemm_batch(StreamRef stream, const GemmBatch& batch, const MatrixProduct& product);

/// x := U^-1 x for an upper triangle and one right-hand side, by a kernel of its own: libraries are
/// made for many. Its multiprocessors hand elements of x to each other. False where U is too large
/// or there are more columns: nothing was done.
bool solve_upper(StreamRef stream, ConstMatrixView u, MatrixView x);
/// Words of memory in each stream: one for each row of the largest U, and another.
inline constexpr std::int64_t kSolverWords = 8192 + 1;

}  // namespace hpcx::HPCX_GPU_NAMESPACE
