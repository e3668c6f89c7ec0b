#include <string_view>

#include "gpu/backend.h"
#include "gpu/vendor_parts.h"

namespace hpcx {

const BackendEntry& cuda_backend() {
  static const BackendEntry kEntry{
      .backend = HPCX_GPU_BACKEND,
      .list = HPCX_GPU_NAMESPACE::list,
      .why_unavailable = HPCX_GPU_NAMESPACE::why_unavailable,
      .open = HPCX_GPU_NAMESPACE::open,
      // Blocks of a team's panel wait for other devices. Code that is loaded at its first launch,
      // as is the driver's habit, waits for whatever runs, and so holds up what these devices wait
      // for.
      .environment = {{"CUDA_MODULE_LOADING", "EAGER"}},
      .visibility_variables = {"CUDA_VISIBLE_DEVICES"}};
  return kEntry;
}

}  // namespace hpcx

namespace hpcx::gpu_cuda {

namespace {

struct Architecture {
  int major, minor;
  CycleRates rates;
};

/// FP64: "Throughput of Native Arithmetic Instructions" in NVIDIA's CUDA C++ Programming Guide
/// gives the results of 64-bit multiply-adds, two operations each. 8.0 and 9.0 do twice that in
/// tensor cores: 19.5 TFLOP/s of 108 multiprocessors at 1410 MHz (A100), 66.9 of 132 at 1980 MHz
/// (H100 SXM). INT8, by data sheets without sparsity: 624 TOPS of 108 at 1410 MHz (A100), 284 of 82
/// at 1695 MHz (RTX 3090), 733 of 142 at 2520 MHz (L40S), 1979 of 132 at 1830 MHz (H100 SXM), 4500
/// of 148 at 1850 MHz (B200), 150 of 148 at 1980 MHz (B300), 838 of 170 at 2407 MHz (RTX 5090).
constexpr Architecture kArchitectures[] = {
    {6, 0, {.fp64 = 64}},
    {6, 1, {.fp64 = 8}},
    {7, 0, {.fp64 = 64}},
    {7, 5, {.fp64 = 4}},
    {8, 0, {.fp64 = 128, .int8 = 4096}},
    {8, 6, {.fp64 = 4, .int8 = 2048}},
    {8, 9, {.fp64 = 4, .int8 = 2048}},
    {9, 0, {.fp64 = 256, .int8 = 8192}},
    {10, 0, {.fp64 = 128, .int8 = 16384}},
    {10, 3, {.fp64 = 4, .int8 = 512}},
    {12, 0, {.fp64 = 4, .int8 = 2048}},
    {12, 1, {.fp64 = 4}},
};

}  // namespace

CycleRates cycle_rates(const gpuDeviceProp& device) {
  for (const Architecture& known : kArchitectures)
    if (known.major == device.major && known.minor == device.minor) return known.rates;
  return {};
}

std::string device_uuid(const gpuDeviceProp& device) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char part : device.uuid.bytes) {
    const auto byte = static_cast<unsigned char>(part);
    text += {kDigits[byte / 16], kDigits[byte % 16]};
  }
  return text;
}

}  // namespace hpcx::gpu_cuda
