#pragma once

#include <cublas_v2.h>

namespace hpcx::gpu_cuda {
using blasHandle_t = cublasHandle_t;
}
