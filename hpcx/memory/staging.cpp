#include "hpcx/host_memory.h"

#include "memory/line_blocks.h"

namespace hpcx {

StagingRing::StagingRing(Device& device, int pieces, std::size_t bytes) {
  for (int i = 0; i < pieces; ++i)
    pieces_.push_back({device.allocate_pinned(bytes), {}});
}

StagingRing::~StagingRing() {
  for (const Piece& piece : pieces_) {
    try {
      if (!piece.free.empty()) piece.free.synchronize();
    } catch (...) {  // the failure has been reported where it arose
    }
  }
}

void copy_on_host(StreamRef stream, Device& threads, const StridedCopy& lines) {
  stream.host_task([&threads, blocks = LineBlocks(lines)] {
    threads.parallel_for(blocks.count(), [&](std::int64_t block) { blocks.copy(block); });
  });
}

}  // namespace hpcx
