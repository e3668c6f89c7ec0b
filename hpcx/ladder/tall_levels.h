#pragma once

#include <cstdint>

#include "hpcx/error.h"
#include "hpcx/ladder.h"

namespace hpcx {

/// The rows of a level of TSQR: the matrix itself, or the Rs of the level below, one after another.
struct TallSource {
  const double* data = nullptr;
  std::int64_t rows = 0, cols = 0;
  std::int64_t piece_rows = 1;    ///< rows of a piece
  std::int64_t piece_stride = 0;  ///< doubles from one piece to the next
  std::int64_t ld = 1;            ///< inside a piece, which is ColumnMajor

  constexpr double operator()(std::int64_t i, std::int64_t j) const {
    return data[i / piece_rows * piece_stride + i % piece_rows + j * ld];
  }
};

/// Rows that are factorized together: whole pieces where these are Rs.
constexpr std::int64_t leaf_rows(const TallSource& source) {
  return source.piece_stride == 0 ? kTallLeafRows : kTallLeafRows / source.cols * source.cols;
}
constexpr std::int64_t leaf_count(const TallSource& source) {
  return (source.rows + leaf_rows(source) - 1) / leaf_rows(source);
}

/// Calls `level(source, out)` for every level: out receives the R of each leaf, cols x cols without
/// gaps. The last level has one leaf, whose R is at the address that is returned.
template <class Level>
double* for_each_tall_level(ConstMatrixView a, double* work, Level level) {
  HPCX_ASSERT(a.layout == Layout::ColumnMajor && a.rows >= a.cols && a.cols >= 1 &&
              a.cols <= kMostTallColumns);
  const std::int64_t half = tall_skinny_work(a.rows, a.cols) / 2;
  TallSource source{.data = a.data,
                    .rows = a.rows,
                    .cols = a.cols,
                    .piece_rows = a.rows,
                    .piece_stride = 0,
                    .ld = a.ld};
  double* out = work;
  double* other = work + half;
  for (;;) {
    level(source, out);
    const std::int64_t leaves = leaf_count(source);
    if (leaves == 1) return out;
    source = {.data = out,
              .rows = leaves * a.cols,
              .cols = a.cols,
              .piece_rows = a.cols,
              .piece_stride = a.cols * a.cols,
              .ld = a.cols};
    double* const filled = out;
    out = other;
    other = filled;
  }
}

}  // namespace hpcx
