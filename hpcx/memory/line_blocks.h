#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hpcx/stream.h"

namespace hpcx {

/// A strided copy in host memory in blocks of about a megabyte, for several threads: several short
/// lines, or a part of a long one.
class LineBlocks {
 public:
  explicit LineBlocks(const StridedCopy& lines)
      : lines_(lines),
        lines_in_block_(std::max<std::size_t>(1, kBlock / std::max<std::size_t>(1, lines.width))),
        parts_(lines_in_block_ > 1 ? 1 : (lines.width + kBlock - 1) / kBlock) {}

  std::int64_t count() const {
    if (lines_.width == 0) return 0;
    return static_cast<std::int64_t>((lines_.height + lines_in_block_ - 1) / lines_in_block_ *
                                     parts_);
  }
  void copy(std::int64_t block) const {
    const std::size_t group = static_cast<std::size_t>(block) / parts_;
    const std::size_t first_byte = static_cast<std::size_t>(block) % parts_ * kBlock;
    const std::size_t bytes =
        parts_ == 1 ? lines_.width : std::min(kBlock, lines_.width - first_byte);
    const std::size_t first = group * lines_in_block_;
    const std::size_t end = std::min(lines_.height, first + lines_in_block_);
    auto* const to = static_cast<std::byte*>(lines_.destination) + first_byte;
    const auto* const from = static_cast<const std::byte*>(lines_.source) + first_byte;
    for (std::size_t line = first; line < end; ++line)
      std::memcpy(to + line * lines_.destination_pitch, from + line * lines_.source_pitch, bytes);
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 20;

  StridedCopy lines_;
  std::size_t lines_in_block_, parts_;
};

}  // namespace hpcx
