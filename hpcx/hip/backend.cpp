#include <string_view>

#include "gpu/backend.h"
#include "gpu/vendor_parts.h"

namespace hpcx {

const BackendEntry& hip_backend() {
  static const BackendEntry kEntry{
      .backend = HPCX_GPU_BACKEND,
      .list = HPCX_GPU_NAMESPACE::list,
      .why_unavailable = HPCX_GPU_NAMESPACE::why_unavailable,
      .open = HPCX_GPU_NAMESPACE::open,
      .visibility_variables = {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"}};
  return kEntry;
}

namespace HPCX_GPU_NAMESPACE {
std::unique_ptr<Emulation> create_emulation(int) {
  return nullptr;
}
std::unique_ptr<MixedPrecision> create_mixed_precision(int) {
  return nullptr;
}

/// AMD's data sheets tell rates of matrix cores: 47.9 TFLOP/s of 220 units at 1700 MHz for a whole
/// MI250X without them, twice that with them; 163.4 of 304 at 2100 MHz (MI300X); 78.6 of 256 at
/// 2400 MHz (MI355X); 11.5 of 120 at 1502 MHz (MI100, whose matrix cores make no FP64).
CycleRates cycle_rates(const gpuDeviceProp& device) {
  const std::string_view name(device.gcnArchName);
  if (name.starts_with("gfx908")) return {.fp64 = 64};
  if (name.starts_with("gfx950")) return {.fp64 = 128};
  if (name.starts_with("gfx90a") || name.starts_with("gfx942")) return {.fp64 = 256};
  return {};
}

// The runtime of ROCm 5 has none.
std::string device_uuid(const gpuDeviceProp&) {
  return {};
}
}  // namespace HPCX_GPU_NAMESPACE

}  // namespace hpcx
