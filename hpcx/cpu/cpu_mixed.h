#pragma once

#include "hpcx/mixed.h"

namespace hpcx::cpu {

/// Mixed precision of the CPU device. What makes the elements of a matrix that is never stored is
/// in mixed_matrix.cpp, arithmetic on stored ones in cpu_mixed.cpp.
class CpuMixed final : public MixedPrecision {
 public:
  void generate(StreamRef stream, const MixedPart& part, double factor, MixedView tile) override;
  void multiply(StreamRef stream, const MixedRowSums& y, const double* x) override;
  void row_sums(StreamRef stream, const MixedRowSums& sums, bool diagonal) override;
  void convert(StreamRef stream, MixedView source, MixedView destination) override;
  void gemm(StreamRef stream, const MixedProduct& product) override;
  void factorize_diagonal(StreamRef stream, const DiagonalBlock& all) override;
  void gemv(StreamRef stream, const MixedVectorProduct& product) override;
  void solve(StreamRef stream, Triangle triangle, MixedView t, float* x) override;
};

}  // namespace hpcx::cpu
