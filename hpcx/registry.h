#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hpcx/device.h"

namespace hpcx {

/// What a back end registers: see hpcx/README.md, "Adding a back end".
struct BackendEntry {
  Backend backend;
  std::vector<DeviceProperties> (*list)();
  std::string (*why_unavailable)();  ///< empty when it has a usable device
  std::unique_ptr<Device> (*open)(const DeviceChoice& choice);
  std::vector<EnvironmentVariable> environment{};   ///< see wanted_environment()
  std::vector<std::string> visibility_variables{};  ///< see visibility_variables()
};

const BackendEntry& cpu_backend();
#ifdef HPCX_HAVE_CUDA
const BackendEntry& cuda_backend();
#endif
#ifdef HPCX_HAVE_HIP
const BackendEntry& hip_backend();
#endif

}  // namespace hpcx
