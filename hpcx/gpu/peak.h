#pragma once

#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// Operations of one multiprocessor in a cycle, a multiply-add as two, by the fastest units for
/// dense matrix products; 0 where the architecture is not known or has none.
struct CycleRates {
  int fp64 = 0, int8 = 0;
};
/// Each vendor implements it.
CycleRates cycle_rates(const gpuDeviceProp& device);

}  // namespace hpcx::HPCX_GPU_NAMESPACE
