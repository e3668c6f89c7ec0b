#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "hpcx/copied_bytes.h"

namespace hpcx {

/// Which memory an address lies in, for what a device has allocated and pinned: drivers tell as
/// well, but asking them takes longer than enqueuing a copy may. Thread-safe.
class KnownMemory {
 public:
  using Memory = CopyCounter::Memory;

  /// Ranges do not overlap.
  void add(const void* data, std::size_t bytes, Memory memory) {
    const std::unique_lock lock(mutex_);
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    ranges_[begin] = {begin + bytes, memory};
  }
  /// Before the memory is given back: another thread may get the same address at once.
  void remove(const void* data) {
    const std::unique_lock lock(mutex_);
    ranges_.erase(reinterpret_cast<std::uintptr_t>(data));
  }
  /// Empty: an address in none of the ranges.
  std::optional<Memory> of(const void* address) const {
    const std::shared_lock lock(mutex_);
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    auto range = ranges_.upper_bound(at);
    if (range == ranges_.begin() || at >= (--range)->second.end) return std::nullopt;
    return range->second.memory;
  }

 private:
  struct Range {
    std::uintptr_t end;
    Memory memory;
  };
  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, Range> ranges_;
};

}  // namespace hpcx
