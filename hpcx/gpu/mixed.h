#pragma once

#include <memory>

#include "hpcx/mixed.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// The operations of HPL-MxP on this device. Each vendor implements it; null where there are none.
std::unique_ptr<MixedPrecision> create_mixed_precision(int index);

}  // namespace hpcx::HPCX_GPU_NAMESPACE
