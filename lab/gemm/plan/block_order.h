#pragma once

#include <cstdint>
#include <vector>

namespace hpl::gemm {

struct BlockPosition {
  std::int64_t row, col, unit;
  bool operator==(const BlockPosition&) const = default;
};

/// The arrangement of blocks and work units.
struct UnitGrid {
  std::int64_t block_rows, block_cols;  ///< of C
  std::int64_t unit_rows, unit_cols;    ///< blocks of a unit, at most
  std::int64_t down() const { return (block_rows + unit_rows - 1) / unit_rows; }
  std::int64_t across() const { return (block_cols + unit_cols - 1) / unit_cols; }
};

/// All blocks of C, unit by unit. `snake`: neighbouring units in the order share a strip, and
/// inside a unit the blocks of one new strip follow each other, so that the strip's other pieces
/// may still be on their way; where both strips are new rows and columns grow together. Otherwise
/// row by row.
std::vector<BlockPosition> block_order(const UnitGrid& grid, bool snake);

}  // namespace hpl::gemm
