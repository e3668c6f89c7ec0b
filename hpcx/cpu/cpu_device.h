#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/scheduler.h"
#include "hpcx/device.h"
#include "hpcx/emulation.h"
#include "hpcx/mixed.h"

namespace hpcx::cpu {

/// Enqueues `body(0) ... body(blocks - 1)` in a stream of the CPU device.
void launch(StreamRef stream, std::int64_t blocks, std::function<void(std::int64_t)> body);
/// Compute threads that serve the stream.
int thread_count(StreamRef stream);
/// Memory of the stream for its next operations, at least `bytes`. They may share it with earlier
/// ones.
std::shared_ptr<const Buffer> workspace(StreamRef stream, std::int64_t bytes);

/// Launches `body(first, count)` over ranges of about 256 KiB of `total` items.
template <class Body>
void launch_ranges(StreamRef stream, std::int64_t total, std::int64_t item_bytes, Body body) {
  if (total == 0) return;
  constexpr std::int64_t kPieceBytes = 256 << 10;
  const std::int64_t each =
      std::clamp<std::int64_t>(kPieceBytes / std::max<std::int64_t>(item_bytes, 1), 1, total);
  launch(stream, (total + each - 1) / each, [=](std::int64_t piece) {
    const std::int64_t first = piece * each;
    body(first, std::min(each, total - first));
  });
}

/// `packs`: see packed_product.h.
std::unique_ptr<Blas> make_blas(bool packs);
std::unique_ptr<Emulation> make_emulation(ResidueElement element);
std::unique_ptr<Interconnect> make_interconnect();
std::unique_ptr<Kernels> make_kernels();
std::unique_ptr<MixedPrecision> make_mixed_precision();
std::unique_ptr<Telemetry> make_telemetry();

/// Page-aligned memory on huge pages where the kernel gives them; throws OutOfMemory.
Buffer allocate(std::size_t bytes);
MemoryInfo memory_info();

}  // namespace hpcx::cpu
