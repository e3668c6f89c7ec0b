#pragma once

#include <cstdint>

#include "hpcx/matrix_view.h"
#include "hpcx/stream.h"

namespace hpcx {

/// LU factorization with partial pivoting of tall panels that lie wholly in one device's memory.
/// Owns its workspace; used by one stream at a time.
class PanelSolver {
 public:
  virtual ~PanelSolver() = default;

  /// panel (rows x cols, ColumnMajor, rows >= 0, cols <= the width it was made for) := L and U of
  /// P panel = L U, L unit lower, in place, row exchanges applied to whole rows of the panel.
  /// pivots[c] := the row (0-based, >= c) exchanged with row c at step c, c < min(rows, cols).
  /// *zero_column := the first column whose pivot is zero or NaN, -1 if there is none; such a
  /// column is left undivided. pivots and zero_column lie in device memory. Asynchronous.
  virtual void factorize(StreamRef stream, MatrixView panel, std::int64_t* pivots,
                         std::int64_t* zero_column) = 0;
};

/// What a panel solver is made for.
struct PanelSolverSpec {
  std::int64_t max_rows = 0;
  std::int64_t max_cols = 0;
  int compute_units = 0;  ///< multiprocessors it may occupy; 0: the back end's own choice
};

}  // namespace hpcx
