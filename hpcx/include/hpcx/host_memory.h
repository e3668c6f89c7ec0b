#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hpcx/device.h"

namespace hpcx {

/// Host memory for a matrix that devices copy from and to: allocated on huge pages, touched by the
/// host threads of a device, so that the pages lie near the cores to which those are bound, and
/// pinned in pieces.
///
/// Where pinning is refused all of it stays unpinned and why_not_pinned() gives the reason. Copies
/// work then as well, but slower, and whoever enqueues one may wait for it.
class HostMemory {
 public:
  static constexpr std::size_t kPinnedPiece = std::size_t{1} << 30;

  HostMemory() = default;
  /// At least page-aligned; reads as zero. Throws OutOfMemory where the host has not that much
  /// left. `pinned_piece`, a multiple of the page size, bounds what is pinned at a time: a driver
  /// that is asked for little answers soon.
  HostMemory(Device& device, std::size_t bytes, std::size_t pinned_piece = kPinnedPiece);

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
  std::vector<HostRegistration> pieces_;  // behind the memory: unpinned before it goes
  std::string why_not_pinned_;
};

}  // namespace hpcx
