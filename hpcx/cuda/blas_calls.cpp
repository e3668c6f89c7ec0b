#include "gpu/blas_calls.h"

#include "cuda/blas_library.h"
#include "gpu/check.h"
#include "hpcx/error.h"

namespace hpcx::gpu_cuda {

namespace {

// NVIDIA's recommendation for Hopper. Older chips need less, and it is a thousandth of any card.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

void check(cublasStatus_t status, const char* call, const char* file, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string reason = std::string(cublasGetStatusString(status)) + " (" +
                             cublasGetStatusName(status) + ", code " + std::to_string(status) + ")";
  const std::string text = failure_text(call, reason, file, line);
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw OutOfMemory(text);
  throw Error(text);
}

#define HPCX_CHECK_BLAS(...) check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

cublasOperation_t native(Transpose transpose) {
  return transpose == Transpose::No ? CUBLAS_OP_N : CUBLAS_OP_T;
}

cudaDataType_t native(Precision precision) {
  switch (precision) {
    case Precision::Fp16:
      return CUDA_R_16F;
    case Precision::Bf16:
      return CUDA_R_16BF;
    case Precision::Fp32:
      return CUDA_R_32F;
  }
  throw Error("no such precision");
}

}  // namespace

std::int64_t BlasContext::workspace_bytes() {
  return kWorkspaceBytes;
}

BlasContext::BlasContext(gpuStream_t stream) {
  HPCX_CHECK_BLAS(cublasCreate(&handle_));
  try {
    HPCX_CHECK(cudaMalloc(&workspace_, kWorkspaceBytes));
    // In this order: setting the stream puts the library's own workspace back.
    HPCX_CHECK_BLAS(cublasSetStream(handle_, stream));
    HPCX_CHECK_BLAS(cublasSetWorkspace(handle_, workspace_, kWorkspaceBytes));
  } catch (...) {
    static_cast<void>(cublasDestroy(handle_));
    static_cast<void>(cudaFree(workspace_));
    throw;
  }
}

BlasContext::~BlasContext() {
  static_cast<void>(cublasDestroy(handle_));
  static_cast<void>(cudaFree(workspace_));
}

void BlasContext::gemm(const GemmCall& call) {
  const cublasOperation_t op_a = native(call.a.transpose);
  const cublasOperation_t op_b = native(call.b.transpose);
  if (call.batch == 1) {
    HPCX_CHECK_BLAS(cublasDgemm_64(handle_, op_a, op_b, call.m, call.n, call.k, &call.alpha,
                                   call.a.data, call.a.ld, call.b.data, call.b.ld, &call.beta,
                                   call.c, call.ldc));
  } else {
    HPCX_CHECK_BLAS(cublasDgemmStridedBatched_64(
        handle_, op_a, op_b, call.m, call.n, call.k, &call.alpha, call.a.data, call.a.ld,
        call.a.batch_stride, call.b.data, call.b.ld, call.b.batch_stride, &call.beta, call.c,
        call.ldc, call.batch_stride_c, call.batch));
  }
}

void BlasContext::use_compute_units(int count) {
  HPCX_CHECK_BLAS(cublasSetSmCountTarget(handle_, count));
}

void BlasContext::gemm(const ByteGemmCall& call) {
  const std::int32_t one = 1, zero = 0;
  HPCX_CHECK_BLAS(cublasGemmEx_64(handle_, CUBLAS_OP_T, CUBLAS_OP_N, call.m, call.n, call.k, &one,
                                  call.a, CUDA_R_8I, call.lda, call.b, CUDA_R_8I, call.ldb, &zero,
                                  call.c, CUDA_R_32I, call.ldc, CUBLAS_COMPUTE_32I,
                                  CUBLAS_GEMM_DEFAULT));
}

void BlasContext::gemm(const MixedGemmCall& call) {
  const cudaDataType_t operands = native(call.operands), result = native(call.result);
  // Sums of parts of the inner dimension stay in FP32. The mode is that of these calls alone.
  HPCX_CHECK_BLAS(cublasSetMathMode(
      handle_, static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH |
                                         CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)));
  const cublasOperation_t op_a = native(call.a.transpose);
  const cublasOperation_t op_b = native(call.b.transpose);
  const cublasStatus_t status =
      call.batch == 1
          ? cublasGemmEx_64(handle_, op_a, op_b, call.m, call.n, call.k, &call.alpha, call.a.data,
                            operands, call.a.ld, call.b.data, operands, call.b.ld, &call.beta,
                            call.c, result, call.ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT)
          : cublasGemmStridedBatchedEx_64(handle_, op_a, op_b, call.m, call.n, call.k, &call.alpha,
                                          call.a.data, operands, call.a.ld, call.a.batch_stride,
                                          call.b.data, operands, call.b.ld, call.b.batch_stride,
                                          &call.beta, call.c, result, call.ldc, call.batch_stride_c,
                                          call.batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  HPCX_CHECK_BLAS(cublasSetMathMode(handle_, CUBLAS_DEFAULT_MATH));
  check(status, call.batch == 1 ? "cublasGemmEx_64" : "cublasGemmStridedBatchedEx_64", __FILE__,
        __LINE__);
}

void BlasContext::trsm(const TrsmCall& call) {
  const double one = 1;
  HPCX_CHECK_BLAS(cublasDtrsm_64(
      handle_, call.side == Side::Left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
      call.triangle == Triangle::Lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER,
      native(call.t.transpose),
      call.diagonal == Diagonal::Unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, call.m, call.n,
      &one, call.t.data, call.t.ld, call.b, call.ldb));
}

void BlasContext::gemv(const GemvCall& call) {
  HPCX_CHECK_BLAS(cublasDgemv_64(handle_, native(call.a.transpose), call.m, call.n, &call.alpha,
                                 call.a.data, call.a.ld, call.x.data, call.x.stride, &call.beta,
                                 call.y.data, call.y.stride));
}

std::string blas_version() {
  if (!why_no_blas().empty()) return "no cuBLAS";
  int major = 0;
  int minor = 0;
  int patch = 0;
  HPCX_CHECK_BLAS(cublasGetProperty(MAJOR_VERSION, &major));
  HPCX_CHECK_BLAS(cublasGetProperty(MINOR_VERSION, &minor));
  HPCX_CHECK_BLAS(cublasGetProperty(PATCH_LEVEL, &patch));
  return "cuBLAS " + std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(patch);
}

}  // namespace hpcx::gpu_cuda
