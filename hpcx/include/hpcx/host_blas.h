#pragma once

#include "hpcx/blas.h"

/// The host's BLAS, synchronous and single-threaded, on mathematical views of host memory.
namespace hpcx::host {

void gemm(double alpha, ConstMatrixView a, ConstMatrixView b, double beta, MatrixView c);
void trsm(Triangle triangle, Diagonal diagonal, ConstMatrixView t, MatrixView b);
void gemv(double alpha, ConstMatrixView a, ConstVectorView x, double beta, VectorView y);
/// A := A + alpha x y^T.
void ger(double alpha, ConstVectorView x, ConstVectorView y, MatrixView a);

/// The same in single precision.
void gemm(float alpha, BasicMatrixView<const float> a, BasicMatrixView<const float> b, float beta,
          BasicMatrixView<float> c);
void trsm(Triangle triangle, Diagonal diagonal, BasicMatrixView<const float> t,
          BasicMatrixView<float> b);
void gemv(float alpha, BasicMatrixView<const float> a, BasicVectorView<const float> x, float beta,
          BasicVectorView<float> y);

}  // namespace hpcx::host
