#pragma once

#include "hpcx/matrix_view.h"
#include "hpcx/stream.h"

namespace hpcx {

/// C := alpha A B + beta C, A m x k, B k x n, C m x n.
template <class Number, class Operand, class Result>
struct ProductOf {
  Number alpha = 1;
  Operand a, b;
  Number beta = 0;
  Result c;

  constexpr bool fits() const { return a.rows == c.rows && b.cols == c.cols && a.cols == b.rows; }
  /// C^T := alpha B^T A^T + beta C^T, the same.
  constexpr ProductOf transposed() const {
    return {alpha, b.transposed(), a.transposed(), beta, c.transposed()};
  }
  /// The part of it that makes the block of rows x cols elements of C whose first is (i, j).
  constexpr ProductOf block(std::int64_t i, std::int64_t j, std::int64_t rows,
                            std::int64_t cols) const {
    return {alpha, a.row_range(i, rows), b.col_range(j, cols), beta, c.block(i, j, rows, cols)};
  }
};
template <class T>
using BasicProduct = ProductOf<T, BasicMatrixView<const T>, BasicMatrixView<T>>;
using MatrixProduct = BasicProduct<double>;

/// y := alpha A x + beta y, A m x n.
template <class T>
struct BasicVectorProduct {
  T alpha = 1;
  BasicMatrixView<const T> a;
  BasicVectorView<const T> x;
  T beta = 0;
  BasicVectorView<T> y;
};
using VectorProduct = BasicVectorProduct<double>;

enum class Triangle { Lower, Upper };
enum class Diagonal { Unit, NonUnit };

/// A triangle of a square matrix; the other one is not read.
template <class T>
struct BasicTriangularView {
  Triangle triangle = Triangle::Lower;
  Diagonal diagonal = Diagonal::Unit;
  BasicMatrixView<const T> matrix;
};
using TriangularView = BasicTriangularView<double>;

/// Dense linear algebra on a device's memory. Shapes are mathematical: views say how they are
/// stored. Sizes are 64-bit; a back end narrows them once, checked. Empty operands are allowed.
class Blas {
 public:
  virtual ~Blas() = default;
  virtual void gemm(StreamRef stream, const MatrixProduct& product) = 0;
  /// B := T^-1 B, T m x m, B m x n.
  virtual void trsm(StreamRef stream, const TriangularView& t, MatrixView b) = 0;
  virtual void gemv(StreamRef stream, const VectorProduct& product) = 0;
};

}  // namespace hpcx

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
