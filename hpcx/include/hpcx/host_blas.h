#pragma once

#include "hpcx/blas.h"

/// The host's BLAS, synchronous and single-threaded, on mathematical views of host memory.
namespace hpcx::host {

void gemm(const BasicProduct<double>& product);
void trsm(const BasicTriangularView<double>& t, MatrixView b);
void gemv(const BasicVectorProduct<double>& product);
/// A := A + alpha x y^T.
void ger(double alpha, ConstVectorView x, ConstVectorView y, MatrixView a);

/// The same in single precision.
void gemm(const BasicProduct<float>& product);
void trsm(const BasicTriangularView<float>& t, BasicMatrixView<float> b);
void gemv(const BasicVectorProduct<float>& product);

}  // namespace hpcx::host
