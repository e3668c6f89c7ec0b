#pragma once

#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// FP64 operations of one multiprocessor in a cycle, a fused multiply-add as two, by the fastest
/// units for matrix products; 0 for an architecture that is not known. Each vendor implements it.
int flops_per_cycle(const gpuDeviceProp& device);

}  // namespace hpcx::HPCX_GPU_NAMESPACE
