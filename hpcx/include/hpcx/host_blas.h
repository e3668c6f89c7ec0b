#pragma once

#include "hpcx/blas.h"

/// The host's BLAS, synchronous and single-threaded, on mathematical views of host memory.
namespace hpcx::host {

void gemm(double alpha, ConstMatrixView a, ConstMatrixView b, double beta, MatrixView c);
void trsm(Triangle triangle, Diagonal diagonal, ConstMatrixView t, MatrixView b);
void gemv(double alpha, ConstMatrixView a, ConstVectorView x, double beta, VectorView y);
/// A := A + alpha x y^T.
void ger(double alpha, ConstVectorView x, ConstVectorView y, MatrixView a);

}  // namespace hpcx::host
