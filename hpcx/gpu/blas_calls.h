#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "hpcx/blas.h"
#include "hpcx/mixed.h"
#include "vendor.h"

#include "blas_handle.h"

/// The vendor's BLAS as this layer needs it: column-major, 64-bit, one handle a stream. Each vendor
/// implements these few functions in one file (cuda/blas_calls.cpp, hip/blas_calls.cpp).
namespace hpcx::HPCX_GPU_NAMESPACE {

enum class Transpose { No, Yes };
enum class Side { Left, Right };

template <class T>
struct BasicOperand {
  const T* data = nullptr;
  std::int64_t ld = 1;
  Transpose transpose = Transpose::No;
  std::int64_t batch_stride = 0;
};
using ColumnMajorOperand = BasicOperand<double>;

/// The library's leading dimension. It insists on a sensible one, though a matrix of a single row
/// or column never uses it.
template <class View>
std::int64_t leading_dimension(const View& a) {
  return std::max<std::int64_t>({a.ld, a.layout == Layout::ColumnMajor ? a.rows : a.cols, 1});
}

/// `a` as an operand of column-major products: a row-major matrix is the transposed of what the
/// library sees in its memory.
template <class View>
auto operand(const View& a, std::int64_t batch_stride = 0) {
  using Element = std::remove_cv_t<std::remove_pointer_t<decltype(a.data)>>;
  return BasicOperand<Element>{
      .data = a.data,
      .ld = leading_dimension(a),
      .transpose = a.layout == Layout::ColumnMajor ? Transpose::No : Transpose::Yes,
      .batch_stride = batch_stride};
}

/// C := alpha op(A) op(B) + beta C, `batch` times.
struct GemmCall {
  std::int64_t m = 0, n = 0, k = 0;
  double alpha = 1;
  ColumnMajorOperand a, b;
  double beta = 0;
  double* c = nullptr;
  std::int64_t ldc = 1;
  std::int64_t batch_stride_c = 0;
  std::int64_t batch = 1;
};

/// C := alpha op(A) op(B) + beta C, `batch` times, with accumulation in FP32. A and B are of one
/// precision, C of theirs or of FP32.
struct MixedGemmCall {
  std::int64_t m = 0, n = 0, k = 0;
  float alpha = 1;
  Precision operands = Precision::Fp32;
  BasicOperand<void> a{}, b{};
  float beta = 0;
  Precision result = Precision::Fp32;
  void* c = nullptr;
  std::int64_t ldc = 1;
  std::int64_t batch_stride_c = 0;
  std::int64_t batch = 1;
};

/// C := A^T B of 8-bit integers in sums of 32 bits, column-major, A k x m and B k x n; m, k and all
/// leading dimensions are multiples of 4.
struct ByteGemmCall {
  std::int64_t m = 0, n = 0, k = 0;
  const std::int8_t* a = nullptr;
  std::int64_t lda = 1;
  const std::int8_t* b = nullptr;
  std::int64_t ldb = 1;
  std::int32_t* c = nullptr;
  std::int64_t ldc = 1;
};

/// B := op(T)^-1 B (Left, T m x m) or B := B op(T)^-1 (Right, T n x n), B m x n.
struct TrsmCall {
  Side side = Side::Left;
  Triangle triangle = Triangle::Lower;
  Diagonal diagonal = Diagonal::Unit;
  std::int64_t m = 0, n = 0;
  ColumnMajorOperand t;
  double* b = nullptr;
  std::int64_t ldb = 1;
};

/// y := alpha op(A) x + beta y, A m x n as stored.
struct GemvCall {
  std::int64_t m = 0, n = 0;
  double alpha = 1;
  ColumnMajorOperand a;
  ConstVectorView x;
  double beta = 0;
  VectorView y;
};

/// One handle of the vendor's BLAS, bound to a stream, with a workspace of its own.
class BlasContext {
 public:
  explicit BlasContext(gpuStream_t stream);
  ~BlasContext();
  BlasContext(const BlasContext&) = delete;
  BlasContext& operator=(const BlasContext&) = delete;

  /// Device memory of the workspace.
  static std::int64_t workspace_bytes();

  /// Scratch for whatever runs in the stream between two calls of the library.
  void* workspace() const { return workspace_; }
  void gemm(const GemmCall& call);
  // Only CUDA has the next three.
  void gemm(const MixedGemmCall& call);
  void gemm(const ByteGemmCall& call);
  void use_compute_units(int count);  ///< by calls from now on; 0: all
  void trsm(const TrsmCall& call);
  void gemv(const GemvCall& call);

 private:
  blasHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
};

/// Name and version of the library, e.g. "cuBLAS 13.1.0".
std::string blas_version();
/// Why the library cannot be used; empty when it can.
std::string why_no_blas();

}  // namespace hpcx::HPCX_GPU_NAMESPACE
