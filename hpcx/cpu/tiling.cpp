#include "cpu/tiling.h"

namespace hpcx::cpu {

namespace {

constexpr std::int64_t kGrain = 48;  // a multiple of the usual register blocks
constexpr std::int64_t kSmallestTile = 96;

}  // namespace

Tiling tile(const ProductSize& product, int threads, std::int64_t largest) {
  const auto& [rows, cols, depth] = product;
  const auto pieces = [](std::int64_t size, std::int64_t tile_size) {
    return std::max<std::int64_t>(1, (size + tile_size / 2) / tile_size);
  };
  std::int64_t in_rows = pieces(rows, largest), in_cols = pieces(cols, largest);
  // Several tiles a thread, so that a thread that comes late (from a panel, say) costs little and
  // a panel that becomes ready soon finds a thread; a thread alone shares with nobody. No tile
  // below a millisecond or so of work.
  const std::int64_t tiles_per_thread = threads == 1 ? 1 : 4;
  constexpr double kLeastFlops = 4e7;
  const double flops = 2.0 * static_cast<double>(rows) * static_cast<double>(cols) *
                       static_cast<double>(std::max<std::int64_t>(depth, 1));
  const auto most = static_cast<std::int64_t>(flops / kLeastFlops) + 1;
  const std::int64_t wanted = std::min<std::int64_t>(tiles_per_thread * threads, most);
  while (in_rows * in_cols < wanted) {
    const bool cut_rows = rows * in_cols >= cols * in_rows;  // cut the longer side of the tile
    const std::int64_t size = cut_rows ? rows : cols;
    std::int64_t& count = cut_rows ? in_rows : in_cols;
    if (size / (count + 1) < kSmallestTile) break;
    ++count;
  }
  Tiling tiling{{rows, in_rows, kGrain}, {cols, in_cols, kGrain}};
  constexpr double kWorthDividing = 4 * kLeastFlops;
  if (threads > 1 && flops > kWorthDividing * static_cast<double>(tiling.tiles()))
    tiling.divided = std::min<std::int64_t>(threads, tiling.tiles());
  return tiling;
}

}  // namespace hpcx::cpu
