#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/cpu_device.h"

namespace hpcx::cpu {

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

}  // namespace hpcx::cpu
