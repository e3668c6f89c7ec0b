#include "gpu/peak.h"

#include <array>

namespace hpcx::gpu_cuda {

namespace {

struct Rate {
  int major, minor, flops;
};

/// "Throughput of Native Arithmetic Instructions" in NVIDIA's CUDA C++ Programming Guide gives the
/// results of 64-bit multiply-adds, two operations each. 8.0 and 9.0 do twice that in tensor cores:
/// 19.5 TFLOP/s of 108 multiprocessors at 1410 MHz (A100), 66.9 of 132 at 1980 MHz (H100 SXM).
constexpr std::array<Rate, 12> kRates{{{6, 0, 64},
                                       {6, 1, 8},
                                       {7, 0, 64},
                                       {7, 5, 4},
                                       {8, 0, 128},
                                       {8, 6, 4},
                                       {8, 9, 4},
                                       {9, 0, 256},
                                       {10, 0, 128},
                                       {10, 3, 4},
                                       {12, 0, 4},
                                       {12, 1, 4}}};

}  // namespace

int flops_per_cycle(const gpuDeviceProp& device) {
  for (const Rate& rate : kRates)
    if (rate.major == device.major && rate.minor == device.minor) return rate.flops;
  return 0;
}

}  // namespace hpcx::gpu_cuda
