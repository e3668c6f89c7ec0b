#include "gpu/vendor_parts.h"

#include <string_view>

namespace hpcx::gpu_hip {

/// By AMD's data sheets, of matrix cores: 47.9 TFLOP/s of 220 units at 1700 MHz for a whole MI250X
/// without them, twice that with them; 163.4 of 304 at 2100 MHz (MI300X); 78.6 of 256 at 2400 MHz
/// (MI355X); 11.5 of 120 at 1502 MHz (MI100, whose matrix cores make no FP64).
CycleRates cycle_rates(const gpuDeviceProp& device) {
  const std::string_view name(device.gcnArchName);
  if (name.starts_with("gfx908")) return {.fp64 = 64};
  if (name.starts_with("gfx950")) return {.fp64 = 128};
  if (name.starts_with("gfx90a") || name.starts_with("gfx942")) return {.fp64 = 256};
  return {};
}

}  // namespace hpcx::gpu_hip
