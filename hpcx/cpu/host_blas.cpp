#include "hpcx/blas.h"

#include <limits>

#include "cpu/cblas_calls.h"
#include "hpcx/blas_library.h"
#include "hpcx/error.h"

namespace hpcx::host {

namespace {

/// Comes before each call: threads are the scheduler's, or the caller's own.
void with_one_thread() {
  thread_local const bool asked = (use_one_blas_thread(), true);
  static_cast<void>(asked);
}

/// The one place where sizes become the BLAS's integers.
int narrow(std::int64_t value) {
  HPCX_ASSERT(value >= 0 && value <= std::numeric_limits<int>::max());
  return static_cast<int>(value);
}

template <class T>
CBLAS_TRANSPOSE op(BasicMatrixView<T> a) {
  return a.layout == Layout::ColumnMajor ? CblasNoTrans : CblasTrans;
}

template <class T>
CBLAS_UPLO stored_triangle(Triangle triangle, BasicMatrixView<T> t) {
  const bool lower = (triangle == Triangle::Lower) == (t.layout == Layout::ColumnMajor);
  return lower ? CblasLower : CblasUpper;
}

/// The BLAS's functions by the type of an element.
template <class T>
struct Calls;
template <>
struct Calls<double> {
  static constexpr auto gemm = cblas_dgemm;
  static constexpr auto trsm = cblas_dtrsm;
  static constexpr auto gemv = cblas_dgemv;
};
template <>
struct Calls<float> {
  static constexpr auto gemm = cblas_sgemm;
  static constexpr auto trsm = cblas_strsm;
  static constexpr auto gemv = cblas_sgemv;
};

template <class T>
void product(const BasicProduct<T>& p) {
  HPCX_ASSERT(p.fits());
  const auto& [alpha, a, b, beta, c] = p;
  if (c.empty()) return;
  if (c.layout == Layout::RowMajor) return product(p.transposed());
  with_one_thread();
  Calls<T>::gemm(CblasColMajor, op(a), op(b), narrow(c.rows), narrow(c.cols), narrow(a.cols), alpha,
                 a.data, narrow(a.ld), b.data, narrow(b.ld), beta, c.data, narrow(c.ld));
}

template <class T>
void triangular_solve(const BasicTriangularView<T>& triangular, BasicMatrixView<T> b) {
  const auto& [triangle, diagonal, t] = triangular;
  HPCX_ASSERT(t.rows == t.cols && t.rows == b.rows);
  if (b.empty()) return;
  with_one_thread();
  const CBLAS_UPLO uplo = stored_triangle(triangle, t);
  const CBLAS_DIAG diag = diagonal == Diagonal::Unit ? CblasUnit : CblasNonUnit;
  if (b.layout == Layout::ColumnMajor) {
    Calls<T>::trsm(CblasColMajor, CblasLeft, uplo, op(t), diag, narrow(b.rows), narrow(b.cols),
                   T{1}, t.data, narrow(t.ld), b.data, narrow(b.ld));
  } else {  // B^T := B^T T^-T
    Calls<T>::trsm(CblasColMajor, CblasRight, uplo, op(t.transposed()), diag, narrow(b.cols),
                   narrow(b.rows), T{1}, t.data, narrow(t.ld), b.data, narrow(b.ld));
  }
}

template <class T>
void product(const BasicVectorProduct<T>& p) {
  const auto& [alpha, a, x, beta, y] = p;
  HPCX_ASSERT(a.rows == y.size && a.cols == x.size);
  if (y.size == 0) return;
  if (x.size == 0) {  // where the BLAS returns without looking at beta
    for (std::int64_t i = 0; i < y.size; ++i)
      y[i] = beta == 0 ? T{0} : beta * y[i];
    return;
  }
  const bool by_columns = a.layout == Layout::ColumnMajor;
  with_one_thread();
  Calls<T>::gemv(CblasColMajor, op(a), narrow(by_columns ? a.rows : a.cols),
                 narrow(by_columns ? a.cols : a.rows), alpha, a.data, narrow(a.ld), x.data,
                 narrow(x.stride), beta, y.data, narrow(y.stride));
}

}  // namespace

void gemm(const BasicProduct<double>& p) {
  product(p);
}
void gemm(const BasicProduct<float>& p) {
  product(p);
}

void trsm(const BasicTriangularView<double>& t, MatrixView b) {
  triangular_solve(t, b);
}
void trsm(const BasicTriangularView<float>& t, BasicMatrixView<float> b) {
  triangular_solve(t, b);
}

void gemv(const BasicVectorProduct<double>& p) {
  product(p);
}
void gemv(const BasicVectorProduct<float>& p) {
  product(p);
}

void ger(double alpha, ConstVectorView x, ConstVectorView y, MatrixView a) {
  HPCX_ASSERT(a.rows == x.size && a.cols == y.size);
  if (a.empty()) return;
  if (a.layout == Layout::RowMajor) return ger(alpha, y, x, a.transposed());
  with_one_thread();
  cblas_dger(CblasColMajor, narrow(a.rows), narrow(a.cols), alpha, x.data, narrow(x.stride), y.data,
             narrow(y.stride), a.data, narrow(a.ld));
}

}  // namespace hpcx::host
