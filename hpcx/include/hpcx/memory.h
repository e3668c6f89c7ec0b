#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace hpcx {

/// Memory with an owner: of a device, or pinned on the host. Movable; freed by who made it.
class Buffer {
 public:
  using Free = void (*)(void* data, std::size_t bytes);

  Buffer() = default;
  Buffer(void* data, std::size_t bytes, Free free) : data_(data), bytes_(bytes), free_(free) {}
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        free_(other.free_) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(free_, other.free_);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) free_(data_, bytes_);
  }

  std::size_t bytes() const { return bytes_; }
  /// The memory as objects of type T, `byte_offset` bytes from its start.
  template <class T>
  T* as(std::size_t byte_offset = 0) const {
    return reinterpret_cast<T*>(static_cast<std::byte*>(data_) + byte_offset);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  Free free_ = nullptr;
};

/// Somebody else's host memory, pinned while this lives (Device::register_host). Movable.
class HostRegistration {
 public:
  using End = void (*)(void* data, std::size_t bytes);

  HostRegistration() = default;
  HostRegistration(void* data, std::size_t bytes, End end) : pinned_(data, bytes, end) {}

  std::size_t bytes() const { return pinned_.bytes(); }

 private:
  Buffer pinned_;  // whose end is the end of the pinning; the memory stays
};

/// Bytes of a device: what it has and what may still be allocated.
struct MemoryInfo {
  std::int64_t total = 0;
  std::int64_t free = 0;
};

}  // namespace hpcx
