#pragma once

#include <cstddef>
#include <string>

#include "hpcx/device.h"

namespace hpcx {

/// Host memory for a matrix that devices copy from and to: allocated on huge pages, touched by the
/// host threads of a device, so that the pages lie near the cores to which those are bound, and
/// pinned, in one piece because no copy may reach over the border of two.
///
/// Where pinning is refused all of it stays unpinned and why_not_pinned() gives the reason. Copies
/// work then as well, but slower, and whoever enqueues one may wait for it.
class HostMemory {
 public:
  HostMemory() = default;
  /// At least page-aligned; reads as zero. Throws OutOfMemory where the host has not that much
  /// left.
  HostMemory(Device& device, std::size_t bytes);

  std::size_t bytes() const { return memory_.bytes(); }
  template <class T>
  T* as(std::size_t byte_offset = 0) const {
    return memory_.as<T>(byte_offset);
  }
  bool pinned() const { return why_not_pinned_.empty(); }
  /// What the device said when it refused, and how much it had pinned by then; empty when all is
  /// pinned.
  const std::string& why_not_pinned() const { return why_not_pinned_; }

 private:
  Buffer memory_;
  HostRegistration registration_;  // behind the memory: it ends first
  std::string why_not_pinned_;
};

}  // namespace hpcx
