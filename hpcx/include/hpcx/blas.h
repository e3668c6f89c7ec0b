#pragma once

#include "hpcx/matrix_view.h"
#include "hpcx/stream.h"

namespace hpcx {

enum class Triangle { Lower, Upper };
enum class Diagonal { Unit, NonUnit };

/// Dense linear algebra on a device's memory. Shapes are mathematical: views say how they are
/// stored. Sizes are 64-bit; a back end narrows them once, checked. Empty operands are allowed.
class Blas {
 public:
  virtual ~Blas() = default;
  /// C := alpha A B + beta C, A m x k, B k x n, C m x n.
  virtual void gemm(StreamRef stream, double alpha, ConstMatrixView a, ConstMatrixView b,
                    double beta, MatrixView c) = 0;
  /// B := T^-1 B, T m x m (only its triangle is read), B m x n.
  virtual void trsm(StreamRef stream, Triangle triangle, Diagonal diagonal, ConstMatrixView t,
                    MatrixView b) = 0;
  /// y := alpha A x + beta y, A m x n.
  virtual void gemv(StreamRef stream, double alpha, ConstMatrixView a, ConstVectorView x,
                    double beta, VectorView y) = 0;
};

}  // namespace hpcx
