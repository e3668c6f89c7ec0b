#pragma once

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// The signatures of rocBLAS that hpcx/hip uses, after its public documentation. Only declared: it
/// lets the sources be compiled and checked where the library is not installed. Nothing links it.
extern "C" {

typedef struct _rocblas_handle* rocblas_handle;
typedef std::int32_t rocblas_int;
typedef std::int64_t rocblas_stride;

typedef enum rocblas_operation_ {
  rocblas_operation_none = 111,
  rocblas_operation_transpose = 112,
} rocblas_operation;
typedef enum rocblas_fill_ { rocblas_fill_upper = 121, rocblas_fill_lower = 122 } rocblas_fill;
typedef enum rocblas_diagonal_ {
  rocblas_diagonal_non_unit = 131,
  rocblas_diagonal_unit = 132,
} rocblas_diagonal;
typedef enum rocblas_side_ { rocblas_side_left = 141, rocblas_side_right = 142 } rocblas_side;
typedef enum rocblas_status_ {
  rocblas_status_success = 0,
  rocblas_status_memory_error = 5,
} rocblas_status;
typedef enum rocblas_atomics_mode_ {
  rocblas_atomics_not_allowed = 0,
  rocblas_atomics_allowed = 1,
} rocblas_atomics_mode;

const char* rocblas_status_to_string(rocblas_status status);
rocblas_status rocblas_get_version_string(char* buffer, size_t length);
rocblas_status rocblas_create_handle(rocblas_handle* handle);
rocblas_status rocblas_destroy_handle(rocblas_handle handle);
rocblas_status rocblas_set_stream(rocblas_handle handle, hipStream_t stream);
rocblas_status rocblas_set_workspace(rocblas_handle handle, void* memory, size_t bytes);
rocblas_status rocblas_set_atomics_mode(rocblas_handle handle, rocblas_atomics_mode mode);

rocblas_status rocblas_dgemm_strided_batched(rocblas_handle handle, rocblas_operation op_a,
                                             rocblas_operation op_b, rocblas_int m, rocblas_int n,
                                             rocblas_int k, const double* alpha, const double* a,
                                             rocblas_int lda, rocblas_stride stride_a,
                                             const double* b, rocblas_int ldb,
                                             rocblas_stride stride_b, const double* beta, double* c,
                                             rocblas_int ldc, rocblas_stride stride_c,
                                             rocblas_int batch_count);
rocblas_status rocblas_dtrsm(rocblas_handle handle, rocblas_side side, rocblas_fill fill,
                             rocblas_operation op_a, rocblas_diagonal diagonal, rocblas_int m,
                             rocblas_int n, const double* alpha, const double* a, rocblas_int lda,
                             double* b, rocblas_int ldb);
rocblas_status rocblas_dgemv(rocblas_handle handle, rocblas_operation op_a, rocblas_int m,
                             rocblas_int n, const double* alpha, const double* a, rocblas_int lda,
                             const double* x, rocblas_int incx, const double* beta, double* y,
                             rocblas_int incy);
}
