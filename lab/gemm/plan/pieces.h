#pragma once

#include <algorithm>
#include <cstdint>

namespace hpl::gemm {

inline constexpr std::int64_t kElementBytes = sizeof(double);

/// A dimension cut into `count` pieces as even as multiples of `grain` allow; no piece is empty.
struct Pieces {
  std::int64_t size = 0;
  std::int64_t count = 0;
  std::int64_t grain = 1;

  /// Pieces of at most `longest`, a multiple of `grain` unless one piece is enough.
  static Pieces of(std::int64_t size, std::int64_t longest, std::int64_t grain) {
    if (size <= longest) return {size, size > 0 ? 1 : 0, grain};
    return {size, (size + longest - 1) / longest, grain};
  }
  std::int64_t begin(std::int64_t piece) const {
    const std::int64_t grains = (size + grain - 1) / grain;
    return std::min(size, grains * piece / count * grain);
  }
  std::int64_t length(std::int64_t piece) const { return begin(piece + 1) - begin(piece); }
  /// Of the longest piece.
  std::int64_t longest() const {
    if (count <= 1) return size;
    const std::int64_t grains = (size + grain - 1) / grain;
    return std::min(size, (grains + count - 1) / count * grain);
  }
};

}  // namespace hpl::gemm
