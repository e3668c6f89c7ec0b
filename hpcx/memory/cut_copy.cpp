#include "memory/cut_copy.h"

#include <algorithm>

#include "hpcx/error.h"

namespace hpcx {

void cut_copy(const StridedCopy& lines, HostSide side, const Pieces& pieces,
              const std::function<void(const StridedCopy&, std::size_t)>& each) {
  if (lines.width == 0 || lines.height == 0) return;
  const bool from_host = side == HostSide::Source;
  const auto* const host =
      static_cast<const std::byte*>(from_host ? lines.source : lines.destination);
  const std::size_t pitch = from_host ? lines.source_pitch : lines.destination_pitch;
  HPCX_ASSERT(host >= pieces.begin);
  const auto lead = static_cast<std::size_t>(host - pieces.begin);

  std::size_t done = 0;  // of the width of the present line
  for (std::size_t line = 0; line < lines.height;) {
    const std::size_t at = lead + line * pitch + done;
    const std::size_t piece = at / pieces.bytes;
    const std::size_t in_piece = (piece + 1) * pieces.bytes - at;
    const std::size_t most = std::max<std::size_t>(1, pieces.most(piece));
    const std::size_t left = lines.width - done;
    StridedCopy part = lines;
    part.source = static_cast<const std::byte*>(lines.source) + line * lines.source_pitch + done;
    part.destination =
        static_cast<std::byte*>(lines.destination) + line * lines.destination_pitch + done;
    if (done == 0 && left <= std::min(in_piece, most)) {
      // The last of the lines need not have room for a whole pitch.
      const std::size_t fitting = lines.height == 1 ? 1 : (in_piece - left) / pitch + 1;
      part.height = std::min({fitting, most / left, lines.height - line});
      line += part.height;
    } else {
      part.width = std::min({left, in_piece, most});
      part.height = 1;
      done += part.width;
      if (done == lines.width) {
        done = 0;
        ++line;
      }
    }
    each(part, piece);
  }
}

}  // namespace hpcx
