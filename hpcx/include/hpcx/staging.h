#pragma once

#include <cstddef>
#include <vector>

#include "hpcx/device.h"
#include "hpcx/event.h"

namespace hpcx {

/// Pinned pieces through which data in pageable memory goes to a device, or from it, in turn.
class StagingRing {
 public:
  /// `pieces` of `bytes` each; throws OutOfMemory.
  StagingRing(Device& device, int pieces, std::size_t bytes);
  /// Waits for what still uses the pieces.
  ~StagingRing();
  StagingRing(StagingRing&&) = default;
  StagingRing& operator=(StagingRing&&) = delete;

  struct Piece {
    Buffer memory;
    Event free;  ///< the former content has gone on; set by the user of the piece
  };
  Piece& next() { return pieces_[taken_++ % pieces_.size()]; }
  /// Of one piece, and of all.
  std::size_t piece_bytes() const { return pieces_.front().memory.bytes(); }
  std::size_t bytes() const { return pieces_.size() * piece_bytes(); }

 private:
  std::vector<Piece> pieces_;
  std::size_t taken_ = 0;
};

/// A copy within host memory, in the stream's order, by the host threads of `threads`, which may be
/// another device than the stream's.
void copy_on_host(StreamRef stream, Device& threads, const StridedCopy& lines);

}  // namespace hpcx
