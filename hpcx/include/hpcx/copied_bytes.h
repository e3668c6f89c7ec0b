#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace hpcx {

/// Bytes that streams were asked to copy between host and device memory.
struct CopiedBytes {
  std::int64_t host_to_device = 0, device_to_host = 0;
};

/// Counts them for all streams of a device. Thread-safe.
class CopyCounter {
 public:
  enum class Memory { Host, Device };

  void add(Memory destination, Memory source, std::size_t bytes) {
    if (destination == source) return;
    (destination == Memory::Device ? to_device_ : to_host_)
        .fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }
  CopiedBytes total() const {
    return {to_device_.load(std::memory_order_relaxed), to_host_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<std::int64_t> to_device_{0}, to_host_{0};
};

}  // namespace hpcx
