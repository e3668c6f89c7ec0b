#pragma once

#include "hpl/machine/decide/run_memory.h"

namespace hpl::test {

inline constexpr std::int64_t kGigabyte = 1'000'000'000;

inline MemoryBounds bounds(std::int64_t device, std::int64_t host) {
  return {{device, "free memory of the device"}, {host, "free memory of the host"}};
}

/// A rank with a GPU, and memory for everything.
inline Facts gpu_facts() {
  return {.kind = ProcessorKind::Gpu,
          .device = "cuda",
          .shares_host_memory = false,
          .factorizes_panels = true,
          .stream_bytes = std::int64_t{32} << 20,
          .threads = 15,
          .cores = 16,
          .memory = bounds(1'000'000 * kGigabyte, 1'000'000 * kGigabyte)};
}
inline Facts cpu_facts(int threads = 1) {
  return {.threads = threads,
          .cores = threads,
          .memory = bounds(1'000'000 * kGigabyte, 1'000'000 * kGigabyte)};
}
inline Facts with_memory(Facts facts, std::int64_t device, std::int64_t host) {
  facts.memory = bounds(device, host);
  return facts;
}

inline Wishes in_host_memory() {
  return {.matrix = MatrixRequest::Host};
}

}  // namespace hpl::test
