#include "gpu/blas.h"

#include "gpu/kernels.h"
#include "gpu/stream.h"
#include "hpcx/error.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

Triangle opposite(Triangle triangle) {
  return triangle == Triangle::Lower ? Triangle::Upper : Triangle::Lower;
}

}  // namespace

void gemm_batch(StreamRef stream, const GemmBatch& batch, const MatrixProduct& product) {
  HPCX_ASSERT(product.fits());
  const auto& [alpha, a, b, beta, c] = product;
  if (c.layout == Layout::RowMajor)
    return gemm_batch(stream, batch.transposed(), product.transposed());
  if (c.empty() || batch.count == 0) return;
  GpuStream& state = activate(stream);
  if (a.cols == 0 || alpha == 0) {
    for (std::int64_t i = 0; beta != 1 && i < batch.count; ++i)
      scale(state.native(), beta,
            {c.data + i * batch.stride_c, c.rows, c.cols, c.ld, Layout::ColumnMajor});
    return;
  }
  state.blas().gemm({.m = c.rows,
                     .n = c.cols,
                     .k = a.cols,
                     .alpha = alpha,
                     .a = operand(a, batch.stride_a),
                     .b = operand(b, batch.stride_b),
                     .beta = beta,
                     .c = c.data,
                     .ldc = leading_dimension(c),
                     .batch_stride_c = batch.stride_c,
                     .batch = batch.count});
}

void GpuBlas::gemm(StreamRef stream, const MatrixProduct& product) {
  gemm_batch(stream, {}, product);
}

void GpuBlas::trsm(StreamRef stream, const TriangularView& triangular, MatrixView b) {
  const auto& [triangle, diagonal, t] = triangular;
  HPCX_ASSERT(t.rows == t.cols && t.rows == b.rows);
  if (b.empty()) return;
  if (triangle == Triangle::Upper && diagonal == Diagonal::NonUnit && solve_upper(stream, t, b))
    return;
  // A row-major T is the transposed of a column-major matrix whose triangle is the other one.
  TrsmCall call{.triangle = t.layout == Layout::ColumnMajor ? triangle : opposite(triangle),
                .diagonal = diagonal,
                .t = operand(t),
                .b = b.data,
                .ldb = leading_dimension(b)};
  if (b.layout == Layout::ColumnMajor) {
    call.side = Side::Left;
    call.m = b.rows;
    call.n = b.cols;
  } else {
    // B^T := B^T T^-T
    call.side = Side::Right;
    call.m = b.cols;
    call.n = b.rows;
    call.t.transpose = call.t.transpose == Transpose::No ? Transpose::Yes : Transpose::No;
  }
  activate(stream).blas().trsm(call);
}

void GpuBlas::gemv(StreamRef stream, const VectorProduct& product) {
  const auto& [alpha, a, x, beta, y] = product;
  HPCX_ASSERT(a.rows == y.size && a.cols == x.size);
  if (a.rows == 0) return;
  HPCX_ASSERT(y.stride >= 1);
  GpuStream& state = activate(stream);
  if (a.cols == 0 || alpha == 0) {
    // y as a matrix of one row, so that its stride is a leading dimension.
    if (beta != 1) scale(state.native(), beta, {y.data, 1, y.size, y.stride, Layout::ColumnMajor});
    return;
  }
  HPCX_ASSERT(x.stride >= 1);
  const bool stored_by_columns = a.layout == Layout::ColumnMajor;
  state.blas().gemv({.m = stored_by_columns ? a.rows : a.cols,
                     .n = stored_by_columns ? a.cols : a.rows,
                     .alpha = alpha,
                     .a = operand(a),
                     .x = x,
                     .beta = beta,
                     .y = y});
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
