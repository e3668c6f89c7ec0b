#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/cpu_device.h"
#include "hpcx/blas.h"

namespace hpcx::cpu {

/// Cuts a dimension of `size` into `count` ranges that start on multiples of `grain`.
struct Cut {
  std::int64_t size, count, grain;
  std::int64_t begin(std::int64_t part) const {
    const std::int64_t grains = (size + grain - 1) / grain;
    return std::min(size, grains * part / count * grain);
  }
  std::int64_t length(std::int64_t part) const { return begin(part + 1) - begin(part); }
};

struct Block {
  std::int64_t row, rows, column, columns;
};

/// Rows and columns of the tiles in which the threads share C. Every block is a BLAS call of its
/// own that packs its operands, so tiles are as large as an even share among the threads allows.
/// The last ones are made as four blocks each: threads that came late, from a panel or from copies
/// of rows, leave the others little to wait for at the end.
struct Tiling {
  Cut rows, cols;
  std::int64_t divided = 0;  ///< the last tiles

  std::int64_t tiles() const { return rows.count * cols.count; }
  std::int64_t blocks() const { return tiles() + 3 * divided; }
  Block block(std::int64_t number) const {
    const std::int64_t whole = tiles() - divided;
    const std::int64_t quarter = number - whole;
    const std::int64_t tile = quarter < 0 ? number : whole + quarter / 4;
    const std::int64_t r = tile % rows.count, s = tile / rows.count;
    const Block all{rows.begin(r), rows.length(r), cols.begin(s), cols.length(s)};
    if (quarter < 0) return all;
    const Cut halves{all.rows, 2, rows.grain}, sides{all.columns, 2, cols.grain};
    const std::int64_t half = quarter % 2, side = quarter / 2 % 2;
    return {all.row + halves.begin(half), halves.length(half), all.column + sides.begin(side),
            sides.length(side)};
  }
};

inline constexpr std::int64_t kLargestTile = 4096;  // beyond it packing is below one percent

/// Rows and columns of C, and the products that each element of it sums up.
struct ProductSize {
  std::int64_t rows = 1, cols = 1, depth = 0;
};
inline Tiling tile(const ProductSize& product, int threads, std::int64_t largest = kLargestTile) {
  constexpr std::int64_t kGrain = 48;  // a multiple of the usual register blocks
  constexpr std::int64_t kSmallestTile = 96;
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

/// Launches multiply(part) for tiles of a product, in FP64, FP32 or mixed precision.
template <class Product, class Multiply>
void launch_tiles(StreamRef stream, const Product& product, std::int64_t largest,
                  Multiply multiply) {
  const ProductSize size{product.c.rows, product.c.cols, product.a.cols};
  if (product.c.empty()) return;
  const Tiling tiling = tile(size, thread_count(stream), largest);
  launch(stream, tiling.blocks(), [=](std::int64_t number) {
    const auto [i, m, j, n] = tiling.block(number);
    if (m > 0 && n > 0) multiply(product.block(i, j, m, n));
  });
}

/// Launches C := alpha A B + beta C.
template <class T>
void launch_gemm(StreamRef stream, const BasicProduct<T>& product) {
  launch_tiles(stream, product, kLargestTile, [](const auto& part) { host::gemm(part); });
}

}  // namespace hpcx::cpu
