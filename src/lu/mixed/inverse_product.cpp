#include "hpl/lu/mixed/inverse_product.h"

#include <algorithm>
#include <cstdint>

#include "hpl/lu/matrix/distributed_matrix.h"

namespace hpl {

namespace {

/// Pieces of an inverse along its diagonal: with 8, a product with it leaves out 7/16 of its zeros.
constexpr std::int64_t kPiecesOfInverse = 8;
constexpr std::int64_t kLeastPiece = 128;

/// Calls body(begin, count) for pieces of a triangle of that width.
template <class Body>
void for_each_piece(std::int64_t width, Body body) {
  const std::int64_t each =
      std::max(round_up((width + kPiecesOfInverse - 1) / kPiecesOfInverse, kPadding), kLeastPiece);
  for (std::int64_t begin = 0; begin < width; begin += each)
    body(begin, std::min(each, width - begin));
}

}  // namespace

void multiply_by_upper_inverse(hpcx::MixedPrecision& arithmetic, hpcx::StreamRef stream,
                               hpcx::MixedView a21, hpcx::MixedView inverse, hpcx::MixedView l21) {
  if (a21.empty()) return;
  for_each_piece(inverse.cols, [&](std::int64_t begin, std::int64_t count) {
    const std::int64_t depth = begin + count;
    arithmetic.gemm(stream, {1, a21.col_range(0, depth), inverse.block(0, begin, depth, count), 0,
                             l21.col_range(begin, count)});
  });
}

void multiply_by_lower_inverse(hpcx::MixedPrecision& arithmetic, hpcx::StreamRef stream,
                               hpcx::MixedView inverse, hpcx::MixedView a12, hpcx::MixedView u12) {
  for_each_piece(inverse.rows, [&](std::int64_t begin, std::int64_t count) {
    const std::int64_t depth = begin + count;
    arithmetic.gemm(stream, {1, inverse.block(begin, 0, count, depth), a12.row_range(0, depth), 0,
                             u12.row_range(begin, count)});
  });
}

}  // namespace hpl
