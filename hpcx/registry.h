#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hpcx/device.h"

namespace hpcx {

/// A back end's entry: see hpcx/README.md, "Adding a back end".
struct BackendEntry {
  Backend backend;
  std::vector<DeviceProperties> (*list)();
  std::string (*why_unavailable)();  ///< empty when it has a usable device
  std::unique_ptr<Device> (*open)(const DeviceChoice& choice);
  std::vector<EnvironmentVariable> environment{};   ///< see wanted_environment()
  std::vector<std::string> visibility_variables{};  ///< see visibility_variables()
};

// Each is there where its back end is built.
#define HPCX_BACKEND(enumerator, word) const BackendEntry& word##_backend();
#include "hpcx/backends.inc"
#undef HPCX_BACKEND

}  // namespace hpcx
