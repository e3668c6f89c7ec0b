#pragma once

#include <memory>
#include <string>

#include "hpcx/emulation.h"
#include "hpcx/mixed.h"
#include "hpcx/telemetry.h"
#include "vendor.h"

/// The parts of a device that each vendor implements, beside its BLAS (gpu/blas_calls.h).
namespace hpcx::HPCX_GPU_NAMESPACE {

/// Products by the integer units of this device; null where there is nothing to make them with.
std::unique_ptr<Emulation> create_emulation(int index);

/// The operations of HPL-MxP on this device; null where there are none.
std::unique_ptr<MixedPrecision> create_mixed_precision(int index);

/// Sensors of the device at this PCI address ("0000:1b:00.0"). Where there is nothing to read,
/// every sample is empty.
std::unique_ptr<Telemetry> create_telemetry(const std::string& pci_address);

/// Operations of one multiprocessor in a cycle, a multiply-add as two, by the fastest units for
/// dense matrix products; 0 where the architecture is not known or has none.
struct CycleRates {
  int fp64 = 0, int8 = 0;
};
CycleRates cycle_rates(const gpuDeviceProp& device);

/// UUID of a device, or of the slice of it (MIG) that this process sees: 32 hexadecimal digits.
/// Empty where the vendor's runtime has none.
std::string device_uuid(const gpuDeviceProp& device);

}  // namespace hpcx::HPCX_GPU_NAMESPACE
