#pragma once

#include <cstdint>

#include "hpcx/matrix_view.h"
#include "hpcx/memory.h"
#include "hpcx/stream.h"

namespace hpcx {

/// The global indices of a local block-cyclic dimension: blocks of `block` indices, `stride` apart,
/// the first at `first`.
struct IndexMap {
  std::int64_t block = 1;
  std::int64_t stride = 1;
  std::int64_t first = 0;

  constexpr std::int64_t operator()(std::int64_t local) const {
    return first + local / block * stride + local % block;
  }
};

/// The part of a global matrix with `order` rows whose element (rows(i), cols(j)) is a local
/// matrix's element (i, j).
struct GlobalPart {
  std::int64_t order = 0;
  IndexMap rows{}, cols{};
};

/// destination(destination_rows[i], :) := source(source_rows[i], :), i < count; a null list is the
/// identity. The two sets of rows of memory do not overlap.
struct RowMoves {
  std::int64_t count = 0;
  ConstMatrixView source{};
  const std::int64_t* source_rows = nullptr;
  MatrixView destination{};
  const std::int64_t* destination_rows = nullptr;
};

/// Operations on local dense matrices that no library has. All asynchronous in `stream`; index
/// lists lie in device memory.
class Kernels {
 public:
  virtual ~Kernels() = default;

  /// tile := the part of the benchmark's random matrix (netlib HPL_pdmatgen: 64-bit linear
  /// congruential sequence, numbered column by column).
  virtual void generate(StreamRef stream, const GlobalPart& part, MatrixView tile) = 0;
  /// destination := value.
  virtual void fill(StreamRef stream, double value, MatrixView destination) = 0;
  /// destination := source, same shape, any two layouts (this is also the transposition).
  virtual void copy(StreamRef stream, ConstMatrixView source, MatrixView destination) = 0;
  /// destination(i, :) := source(source_rows[i], :) for all rows i of destination.
  void gather_rows(StreamRef stream, ConstMatrixView source, const std::int64_t* source_rows,
                   MatrixView destination) {
    move_rows(stream, {destination.rows, source, source_rows, destination});
  }
  virtual void move_rows(StreamRef stream, const RowMoves& moves) = 0;
  /// inverse := L^-1 for the unit lower triangle of `lower`; the strict upper part becomes zero.
  virtual void invert_unit_lower(StreamRef stream, ConstMatrixView lower, MatrixView inverse) = 0;
  /// sums[i] := sum over j of |a(i, j)|.
  virtual void row_sums(StreamRef stream, ConstMatrixView a, double* sums) = 0;
  /// sums[j] := sum over i of |a(i, j)|.
  virtual void column_sums(StreamRef stream, ConstMatrixView a, double* sums) = 0;

  /// Zero bytes in all of a buffer whose size is a multiple of 8. Host memory is not there before
  /// its first touch, which costs more than to write it: do this before a clock runs.
  void clear(StreamRef stream, const Buffer& buffer) {
    constexpr std::int64_t kPiece = std::int64_t{1} << 15;
    const auto size = static_cast<std::int64_t>(buffer.bytes() / sizeof(double));
    const std::int64_t pieces = size / kPiece, rest = size % kPiece;
    auto* const data = buffer.as<double>();
    fill(stream, 0.0, {data, kPiece, pieces, kPiece});
    fill(stream, 0.0, {data + pieces * kPiece, rest, 1, kPiece});
  }
};

}  // namespace hpcx
