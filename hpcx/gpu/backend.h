#pragma once

#include "registry.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// The parts of a BackendEntry.
std::vector<DeviceProperties> list();
std::string why_unavailable();
std::unique_ptr<Device> open(const DeviceChoice& choice);

}  // namespace hpcx::HPCX_GPU_NAMESPACE
