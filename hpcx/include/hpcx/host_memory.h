#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "hpcx/device.h"
#include "hpcx/event.h"
#include "hpcx/matrix_view.h"

namespace hpcx {

struct HostMemorySpec {
  std::size_t bytes = 0;
  /// The device whose host threads touch the memory and copy in it; null: the device's own.
  Device* threads = nullptr;
  /// Called before anything is touched: tells the system near which processors the pages are to
  /// lie.
  std::function<void(void* data, std::size_t bytes)> place{};
  /// Pinned in pieces of this size, several at once; 0: in one piece.
  std::size_t piece_bytes = 0;
  /// Not more is pinned, in words why.
  std::size_t most_pinned = std::numeric_limits<std::size_t>::max();
  std::string why_not_more{};
  /// Size of each of the pinned pieces through which copies go where pinning is refused; 0: none.
  std::size_t staging_bytes = 0;
};

/// Host memory for a matrix that devices copy from and to: allocated on huge pages, touched by host
/// threads, so that the pages lie near the cores to which those are bound unless `place` says
/// otherwise, and pinned. They pin and unpin, too.
///
/// If all or some pieces cannot be pinned, why_not_pinned() gives the reason. load()
/// and store() work all the same and stay asynchronous: what is not pinned goes through a staging
/// area of two pinned pieces each way, filled and emptied by the host threads beside the transfers.
/// If not even that can be pinned, the driver copies, and the thread that enqueues a copy may wait
/// for it.
class HostMemory {
 public:
  HostMemory() = default;
  /// At least page-aligned; reads as zero. Throws OutOfMemory where the host has not that much
  /// left. The device and `threads` must outlive it.
  HostMemory(Device& device, const HostMemorySpec& spec);

  std::size_t bytes() const { return memory_.bytes(); }
  template <class T>
  T* as(std::size_t byte_offset = 0) const {
    return memory_.as<T>(byte_offset);
  }
  bool pinned() const { return why_not_pinned_.empty(); }
  std::size_t pinned_bytes() const;
  /// Pinned beside the memory, to copy through.
  std::size_t staging_bytes() const;
  /// The device's message at its first refusal; empty when all is pinned.
  const std::string& why_not_pinned() const { return why_not_pinned_; }

  /// destination := source, a view of this memory; and back. Asynchronous. Unlike plain copies they
  /// may reach over the borders of pieces. One thread at a time loads, one stores.
  void load(StreamRef stream, ConstMatrixView source, MatrixView destination) const;
  void store(StreamRef stream, ConstMatrixView source, MatrixView destination) const;

 private:
  class Staging;
  struct Pins;

  void touch(Device& threads) const;
  void pin(Device& device, const HostMemorySpec& spec);
  void stage(Device& device, const HostMemorySpec& spec);
  bool is_pinned(std::size_t piece) const;

  Buffer memory_;
  std::size_t piece_bytes_ = 0;
  std::shared_ptr<Pins> pins_;  // behind the memory: they end first
  std::string why_not_pinned_;
  std::shared_ptr<Staging> staging_;
};

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
  /// Bytes of one piece, and of all.
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
