#pragma once

#include "hpcx/device.h"
#include "hpcx/error.h"

namespace hpl {

/// Throws Error where there is none.
inline hpcx::DeviceChoice first_gpu() {
  const hpcx::DeviceProperties first = hpcx::list_devices().front();  // GPUs come first
  if (first.backend == hpcx::Backend::Cpu) throw hpcx::Error("there is no GPU here");
  return {.backend = first.backend, .index = first.index};
}

}  // namespace hpl
