#pragma once

#include <cublas_v2.h>

/// The functions of cuBLAS by their own names, which hide those of the header. The library is
/// loaded at run time: a program starts without it and runs on processors.
namespace hpcx::gpu_cuda {

/// The address of a function of cuBLAS. Throws Error if the library or the function is missing.
void* blas_function(const char* name);

#define HPCX_BLAS_FUNCTION_EXPANDED(name)                                                   \
  inline constexpr auto name = [](auto... arguments) {                                      \
    static const auto function = reinterpret_cast<decltype(&::name)>(blas_function(#name)); \
    return function(arguments...);                                                          \
  }
// Two levels: the header's names are macros for symbols with a version.
#define HPCX_BLAS_FUNCTION(name) HPCX_BLAS_FUNCTION_EXPANDED(name)
HPCX_BLAS_FUNCTION(cublasCreate);
HPCX_BLAS_FUNCTION(cublasDestroy);
HPCX_BLAS_FUNCTION(cublasDgemm_64);
HPCX_BLAS_FUNCTION(cublasDgemmStridedBatched_64);
HPCX_BLAS_FUNCTION(cublasDgemv_64);
HPCX_BLAS_FUNCTION(cublasDtrsm_64);
HPCX_BLAS_FUNCTION(cublasGemmEx_64);
HPCX_BLAS_FUNCTION(cublasGemmStridedBatchedEx_64);
HPCX_BLAS_FUNCTION(cublasGetProperty);
HPCX_BLAS_FUNCTION(cublasGetStatusName);
HPCX_BLAS_FUNCTION(cublasGetStatusString);
HPCX_BLAS_FUNCTION(cublasSetMathMode);
HPCX_BLAS_FUNCTION(cublasSetSmCountTarget);
HPCX_BLAS_FUNCTION(cublasSetStream);
HPCX_BLAS_FUNCTION(cublasSetWorkspace);

}  // namespace hpcx::gpu_cuda
