#pragma once

#include <memory>

#include "hpcx/emulation.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// Products by the integer units of this device. Each vendor implements it; null where there is
/// nothing to make them with.
std::unique_ptr<Emulation> create_emulation(int index);

}  // namespace hpcx::HPCX_GPU_NAMESPACE
