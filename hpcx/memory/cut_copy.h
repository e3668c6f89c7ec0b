#pragma once

#include <cstddef>
#include <functional>

#include "hpcx/stream.h"

namespace hpcx {

/// The side of a copy that lies in host memory made of pieces.
enum class HostSide { Source, Destination };

/// Pieces of host memory of equal size, the last one shorter.
struct Pieces {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;  ///< of a piece
  std::function<std::size_t(std::size_t piece)>
      most;  ///< bytes that a copy from or to a piece may have
};

/// Cuts a strided copy so that each part lies in one piece and is no larger than `most` allows:
/// whole lines where they fit, else parts of lines. Calls `each(part, piece)` in ascending order.
/// Pure.
void cut_copy(const StridedCopy& lines, HostSide side, const Pieces& pieces,
              const std::function<void(const StridedCopy& part, std::size_t piece)>& each);

}  // namespace hpcx
