#include <rocblas.h>

#include <cublas_v2.h>

#include <cstdio>
#include <cstdlib>

// rocBLAS's functions, as far as hpcx uses them, by cuBLAS. Their enumerators have the values of
// the CBLAS, cuBLAS's have others.

namespace {

// Code that is loaded at its first launch waits for whatever runs, and so holds up what a team's
// panel waits for: hpcx/cuda/backend.cpp says the same of itself. This is linked into every program
// that has the back end.
[[maybe_unused]] const int kEager = setenv("CUDA_MODULE_LOADING", "EAGER", 0);

cublasHandle_t native(rocblas_handle handle) {
  return reinterpret_cast<cublasHandle_t>(handle);
}
rocblas_status native(cublasStatus_t status) {
  return status == CUBLAS_STATUS_ALLOC_FAILED ? rocblas_status_memory_error
                                              : static_cast<rocblas_status>(status);
}
cublasOperation_t native(rocblas_operation operation) {
  return operation == rocblas_operation_none ? CUBLAS_OP_N : CUBLAS_OP_T;
}

}  // namespace

const char* rocblas_status_to_string(rocblas_status status) {
  return status == rocblas_status_memory_error
             ? "rocblas_status_memory_error"
             : cublasGetStatusName(static_cast<cublasStatus_t>(status));
}

rocblas_status rocblas_get_version_string(char* buffer, size_t length) {
  int major = 0, minor = 0;
  cublasGetProperty(MAJOR_VERSION, &major);
  cublasGetProperty(MINOR_VERSION, &minor);
  std::snprintf(buffer, length, "mapped to cuBLAS %d.%d", major, minor);
  return rocblas_status_success;
}

rocblas_status rocblas_create_handle(rocblas_handle* handle) {
  return native(cublasCreate(reinterpret_cast<cublasHandle_t*>(handle)));
}
rocblas_status rocblas_destroy_handle(rocblas_handle handle) {
  return native(cublasDestroy(native(handle)));
}
rocblas_status rocblas_set_stream(rocblas_handle handle, hipStream_t stream) {
  return native(cublasSetStream(native(handle), stream));
}
rocblas_status rocblas_set_workspace(rocblas_handle handle, void* memory, size_t bytes) {
  return native(cublasSetWorkspace(native(handle), memory, bytes));
}
rocblas_status rocblas_set_atomics_mode(rocblas_handle handle, rocblas_atomics_mode mode) {
  return native(cublasSetAtomicsMode(native(handle), mode == rocblas_atomics_allowed
                                                         ? CUBLAS_ATOMICS_ALLOWED
                                                         : CUBLAS_ATOMICS_NOT_ALLOWED));
}

rocblas_status rocblas_dgemm_strided_batched(rocblas_handle handle, rocblas_operation op_a,
                                             rocblas_operation op_b, rocblas_int m, rocblas_int n,
                                             rocblas_int k, const double* alpha, const double* a,
                                             rocblas_int lda, rocblas_stride stride_a,
                                             const double* b, rocblas_int ldb,
                                             rocblas_stride stride_b, const double* beta, double* c,
                                             rocblas_int ldc, rocblas_stride stride_c,
                                             rocblas_int batch_count) {
  if (batch_count == 1)
    return native(cublasDgemm(native(handle), native(op_a), native(op_b), m, n, k, alpha, a, lda, b,
                              ldb, beta, c, ldc));
  return native(cublasDgemmStridedBatched(native(handle), native(op_a), native(op_b), m, n, k,
                                          alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc,
                                          stride_c, batch_count));
}
rocblas_status rocblas_dtrsm(rocblas_handle handle, rocblas_side side, rocblas_fill fill,
                             rocblas_operation op_a, rocblas_diagonal diagonal, rocblas_int m,
                             rocblas_int n, const double* alpha, const double* a, rocblas_int lda,
                             double* b, rocblas_int ldb) {
  return native(cublasDtrsm(
      native(handle), side == rocblas_side_left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
      fill == rocblas_fill_lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER, native(op_a),
      diagonal == rocblas_diagonal_unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, m, n, alpha, a,
      lda, b, ldb));
}
rocblas_status rocblas_dgemv(rocblas_handle handle, rocblas_operation op_a, rocblas_int m,
                             rocblas_int n, const double* alpha, const double* a, rocblas_int lda,
                             const double* x, rocblas_int incx, const double* beta, double* y,
                             rocblas_int incy) {
  return native(
      cublasDgemv(native(handle), native(op_a), m, n, alpha, a, lda, x, incx, beta, y, incy));
}
