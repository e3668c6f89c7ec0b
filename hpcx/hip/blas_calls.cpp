#include "gpu/blas_calls.h"

#include <limits>

#include "gpu/check.h"
#include "hpcx/error.h"

namespace hpcx::gpu_hip {

namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20;

void check(rocblas_status status, const char* call, const char* file, int line) {
  if (status == rocblas_status_success) return;
  const std::string reason =
      std::string(rocblas_status_to_string(status)) + " (code " + std::to_string(status) + ")";
  const std::string text = failure_text(call, reason, file, line);
  if (status == rocblas_status_memory_error) throw OutOfMemory(text);
  throw Error(text);
}

#define HPCX_CHECK_BLAS(...) check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

rocblas_operation native(Transpose transpose) {
  return transpose == Transpose::No ? rocblas_operation_none : rocblas_operation_transpose;
}

/// This library's sizes have 32 bits: the one place where a size of this layer is narrowed.
rocblas_int narrow(std::int64_t size) {
  if (size < 0 || size > std::numeric_limits<rocblas_int>::max())
    throw Error("rocBLAS takes sizes up to 2^31 - 1, not " + std::to_string(size));
  return static_cast<rocblas_int>(size);
}

}  // namespace

std::int64_t BlasContext::workspace_bytes() {
  return kWorkspaceBytes;
}

BlasContext::BlasContext(gpuStream_t stream) {
  HPCX_CHECK_BLAS(rocblas_create_handle(&handle_));
  try {
    HPCX_CHECK(hipMalloc(&workspace_, kWorkspaceBytes));
    HPCX_CHECK_BLAS(rocblas_set_stream(handle_, stream));
    HPCX_CHECK_BLAS(rocblas_set_workspace(handle_, workspace_, kWorkspaceBytes));
    // Sums in the order in which blocks happen to end differ from run to run.
    HPCX_CHECK_BLAS(rocblas_set_atomics_mode(handle_, rocblas_atomics_not_allowed));
  } catch (...) {
    static_cast<void>(rocblas_destroy_handle(handle_));
    static_cast<void>(hipFree(workspace_));
    throw;
  }
}

BlasContext::~BlasContext() {
  static_cast<void>(rocblas_destroy_handle(handle_));
  static_cast<void>(hipFree(workspace_));
}

void BlasContext::gemm(const GemmCall& call) {
  HPCX_CHECK_BLAS(rocblas_dgemm_strided_batched(
      handle_, native(call.a.transpose), native(call.b.transpose), narrow(call.m), narrow(call.n),
      narrow(call.k), &call.alpha, call.a.data, narrow(call.a.ld), call.a.batch_stride, call.b.data,
      narrow(call.b.ld), call.b.batch_stride, &call.beta, call.c, narrow(call.ldc),
      call.batch_stride_c, narrow(call.batch)));
}

void BlasContext::trsm(const TrsmCall& call) {
  const double one = 1;
  HPCX_CHECK_BLAS(rocblas_dtrsm(
      handle_, call.side == Side::Left ? rocblas_side_left : rocblas_side_right,
      call.triangle == Triangle::Lower ? rocblas_fill_lower : rocblas_fill_upper,
      native(call.t.transpose),
      call.diagonal == Diagonal::Unit ? rocblas_diagonal_unit : rocblas_diagonal_non_unit,
      narrow(call.m), narrow(call.n), &one, call.t.data, narrow(call.t.ld), call.b,
      narrow(call.ldb)));
}

void BlasContext::gemv(const GemvCall& call) {
  HPCX_CHECK_BLAS(rocblas_dgemv(handle_, native(call.a.transpose), narrow(call.m), narrow(call.n),
                                &call.alpha, call.a.data, narrow(call.a.ld), call.x.data,
                                narrow(call.x.stride), &call.beta, call.y.data,
                                narrow(call.y.stride)));
}

std::string why_no_blas() {
  return {};
}

std::string blas_version() {
  char version[64] = {};
  HPCX_CHECK_BLAS(rocblas_get_version_string(version, sizeof(version)));
  return std::string("rocBLAS ") + version;
}

}  // namespace hpcx::gpu_hip
