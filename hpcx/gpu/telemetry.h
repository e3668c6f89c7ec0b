#pragma once

#include <memory>
#include <string>

#include "hpcx/telemetry.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// Sensors of the device at this PCI address ("0000:1b:00.0"). Each vendor implements it; where
/// there is nothing to read, every sample is empty.
std::unique_ptr<Telemetry> create_telemetry(const std::string& pci_address);

}  // namespace hpcx::HPCX_GPU_NAMESPACE
