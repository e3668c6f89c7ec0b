#include "hpcx/host_memory.h"

#include <unistd.h>

#include <algorithm>

#include "cpu/cpu_device.h"
#include "hpcx/error.h"

namespace hpcx {

namespace {

/// A page lies near the core that touches it first.
void touch(Device& device, const Buffer& memory) {
  constexpr std::size_t kBlock = std::size_t{64} << 20;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t blocks = (memory.bytes() + kBlock - 1) / kBlock;
  device.parallel_for(static_cast<std::int64_t>(blocks), [&](std::int64_t block) {
    const std::size_t first = static_cast<std::size_t>(block) * kBlock;
    const std::size_t end = std::min(memory.bytes(), first + kBlock);
    for (std::size_t at = first; at < end; at += page)
      *memory.as<volatile std::byte>(at) = std::byte{0};
  });
}

}  // namespace

HostMemory::HostMemory(Device& device, std::size_t bytes) {
  // The system promises more than it has: the refusal must come before the pages are touched.
  const std::int64_t available = cpu::memory_info().free;
  if (available > 0 && bytes > static_cast<std::size_t>(available))
    throw OutOfMemory("the host has no " + std::to_string(bytes) + " bytes of memory left (" +
                      std::to_string(available) + " are available)");
  memory_ = cpu::allocate(bytes);
  touch(device, memory_);
  try {
    registration_ = device.register_host(memory_.as<void>(), bytes);
  } catch (const Error& refusal) {
    why_not_pinned_ = refusal.what();
  }
}

}  // namespace hpcx
