#pragma once

#include <vector>

#include "hpcx/copy.h"
#include "hpcx/device.h"

namespace hpl::gemm {

/// Pinned buffers through which matrices in pageable memory go to a device, or from it.
class Staging {
 public:
  /// `buffers` of `bytes` each; throws OutOfMemory.
  Staging(hpcx::Device& device, int buffers, std::int64_t bytes);

  struct Slot {
    hpcx::Buffer memory;
    hpcx::Event free;  // what was here has gone on
  };
  Slot& next() { return slots_[turn_++ % slots_.size()]; }
  std::int64_t bytes() const;

 private:
  std::vector<Slot> slots_;
  std::size_t turn_ = 0;
};

/// destination = source, on the host, in the stream's order, by the host threads of the device.
void copy_on_host(hpcx::StreamRef stream, hpcx::ConstMatrixView source,
                  hpcx::MatrixView destination);

}  // namespace hpl::gemm
