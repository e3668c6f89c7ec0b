#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "hpcx/memory.h"

namespace hpcx {

/// Finds the memory of an address among all that a device has allocated and pinned. Drivers know it
/// as well, but to ask them takes longer than enqueuing a copy may. Thread-safe.
class KnownMemory {
 public:
  using Memory = CopyCounter::Memory;

  struct Known {
    Memory memory;
    void* on_device;  ///< the address under which kernels find it; null where they do not
    bool operator==(const Known&) const = default;
  };

  /// Ranges do not overlap. `on_device` is what kernels take in place of `data`, or null.
  void add(const void* data, std::size_t bytes, Memory memory, void* on_device) {
    const std::unique_lock lock(mutex_);
    ranges_[reinterpret_cast<std::uintptr_t>(data)] = {bytes, memory, on_device};
  }
  /// Before the memory is given back: another thread may get the same address at once.
  void remove(const void* data) {
    const std::unique_lock lock(mutex_);
    ranges_.erase(reinterpret_cast<std::uintptr_t>(data));
  }
  /// Empty: bytes that do not all lie in one of the ranges.
  std::optional<Known> of(const void* address, std::size_t bytes) const {
    const std::shared_lock lock(mutex_);
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto after = ranges_.upper_bound(at);
    if (after == ranges_.begin()) return std::nullopt;
    const auto& [begin, range] = *std::prev(after);
    const std::size_t before = at - begin;
    if (before >= range.bytes || bytes > range.bytes - before) return std::nullopt;
    return Known{range.memory, range.on_device == nullptr
                                   ? nullptr
                                   : static_cast<std::byte*>(range.on_device) + before};
  }

 private:
  struct Range {
    std::size_t bytes;
    Memory memory;
    void* on_device;
  };
  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, Range> ranges_;
};

}  // namespace hpcx
