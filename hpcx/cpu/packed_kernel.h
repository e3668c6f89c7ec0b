#pragma once

#include <cstdint>

namespace hpcx::cpu {

/// Rows and columns of the tiles of C that the kernel makes at a time: 24 registers of sums.
inline constexpr std::int64_t kStripRows = 8, kStripColumns = 24;

/// A product of strips. Element k of the kStripRows rows of A stands at a[kStripRows * k], of the
/// kStripColumns columns of B at b[kStripColumns * k], which is a multiple of 64 bytes.
struct PackedTile {
  std::int64_t depth = 0;
  double alpha = 1;
  const double *a = nullptr, *b = nullptr;
  /// Elements of the next tiles: the kernel fetches kStripRows * next_lines lines of 64 bytes.
  const double* next = nullptr;
  std::int64_t next_lines = 0;
};

/// Whether this processor has the instructions of add_tile(): AVX-512.
bool has_packed_kernel();

/// C := C + alpha A B, of a tile of C whose rows are `ld` elements apart. Each element is summed up
/// in the order of the inner dimension, each product and sum rounded once.
void add_tile(const PackedTile& tile, double* c, std::int64_t ld);

}  // namespace hpcx::cpu
