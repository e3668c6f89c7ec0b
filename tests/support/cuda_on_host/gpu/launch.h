#pragma once

#include <cstdint>

namespace hpcx::gpu_cuda {

constexpr std::int64_t ceil_div(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

}  // namespace hpcx::gpu_cuda
