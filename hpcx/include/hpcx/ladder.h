#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "hpcx/blas.h"
#include "hpcx/stream.h"

namespace hpcx {

/// Ways to multiply matrices, from the plainest to the vendor's. Each is bound by something else,
/// so that together they tell which part of a machine is slow.
enum class LadderKind {
  Loops,       ///< host: three loops, an element after the other
  Simd,        ///< host: vectors of neighbouring columns, whole rows
  Blocked,     ///< host: the same, block by block; parameter: rows and columns of a block
  Transposed,  ///< host: dot products with the columns of B, which is transposed first; parameter:
               ///< columns that all rows of a thread take in turn
  Elements,    ///< device: one thread an element; parameter: b for blocks of b x b threads
  Tiles,       ///< device: tiles in shared memory; parameter: stages, tiles under way but one
  Library,     ///< the BLAS
};

/// Rows and columns of C of a thread block of LadderKind::Tiles.
inline constexpr int kLadderTile = 64;

struct LadderRung {
  LadderKind kind = LadderKind::Library;
  int parameter = 0;
  bool operator==(const LadderRung&) const = default;
};

/// C := A B in either precision: alpha is 1, beta 0. All row-major, any sizes and leading
/// dimensions, in the device's memory.
using LadderProduct = std::variant<BasicProduct<double>, BasicProduct<float>>;
template <class T>
constexpr bool is_plain(const BasicProduct<T>& p) {
  constexpr Layout kRows = Layout::RowMajor;
  return p.fits() && p.alpha == 1 && p.beta == 0 && p.a.layout == kRows && p.b.layout == kRows &&
         p.c.layout == kRows;
}

/// Columns that a tall matrix has at most, see Ladder::tall_skinny_r().
inline constexpr std::int64_t kMostTallColumns = 32;
/// Rows of a leaf of its tree.
inline constexpr std::int64_t kTallLeafRows = 128;

/// Doubles of work space for the R of a tall matrix.
constexpr std::int64_t tall_skinny_work(std::int64_t rows, std::int64_t cols) {
  const std::int64_t leaves = (rows + kTallLeafRows - 1) / kTallLeafRows;
  return 2 * leaves * cols * cols;
}

/// Programs that measure the machine rather than solve. All asynchronous in `stream`.
class Ladder {
 public:
  virtual ~Ladder() = default;

  /// From the plainest to the fastest.
  virtual std::vector<LadderRung> rungs() const = 0;
  virtual void multiply(StreamRef stream, LadderRung rung, const LadderProduct& product) = 0;

  /// r (cols x cols, ColumnMajor, zero below the diagonal) := the R of A = Q R by TSQR (Demmel,
  /// Grigori, Hoemmen, Langou 2012): leaves of kTallLeafRows rows are factorized by themselves,
  /// then stacks of their Rs, until one is left. a is ColumnMajor, with rows >= cols and at most
  /// kMostTallColumns columns; `work` has tall_skinny_work() doubles of the device's memory.
  virtual void tall_skinny_r(StreamRef stream, ConstMatrixView a, double* work, MatrixView r) = 0;
};

}  // namespace hpcx
