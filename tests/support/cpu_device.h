#pragma once

#include <memory>

#include "hpcx/device.h"

namespace hpl::test {

/// The CPU device with so many compute threads, bound to nothing.
inline std::unique_ptr<hpcx::Device> open_cpu(int threads) {
  return hpcx::open_device(
      {.backend = hpcx::Backend::Cpu, .index = 0, .cpu = {.threads = threads}});
}

}  // namespace hpl::test
