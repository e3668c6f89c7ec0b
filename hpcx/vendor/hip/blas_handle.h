#pragma once

#if __has_include(<rocblas/rocblas.h>)
#include <rocblas/rocblas.h>
#else
#include <rocblas.h>
#endif

namespace hpcx::gpu_hip {
using blasHandle_t = rocblas_handle;
}
