#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace hpcx {

/// Memory with an owner: of a device, or pinned on the host. Movable; freed by who made it.
class Buffer {
 public:
  using Free = std::function<void(void* data, std::size_t bytes)>;

  Buffer() = default;
  Buffer(void* data, std::size_t bytes, Free free) : memory_(data, {bytes, std::move(free)}) {}

  std::size_t bytes() const { return memory_ ? memory_.get_deleter().bytes : 0; }
  /// The memory as objects of type T, `byte_offset` bytes from its start.
  template <class T>
  T* as(std::size_t byte_offset = 0) const {
    return reinterpret_cast<T*>(static_cast<std::byte*>(memory_.get()) + byte_offset);
  }

 private:
  struct Release {
    std::size_t bytes;
    Free free;
    void operator()(void* data) const { free(data, bytes); }
  };
  std::unique_ptr<void, Release> memory_;
};

/// Somebody else's host memory, pinned while this lives (Device::register_host). Movable.
class HostRegistration {
 public:
  using End = Buffer::Free;

  HostRegistration() = default;
  HostRegistration(void* data, std::size_t bytes, End end) : pinned_(data, bytes, std::move(end)) {}

  std::size_t bytes() const { return pinned_.bytes(); }

 private:
  Buffer pinned_;  // whose end is the end of the pinning; the memory stays
};

/// Bytes of a device: what it has and what may still be allocated.
struct MemoryInfo {
  std::int64_t total = 0;
  std::int64_t free = 0;
};

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
