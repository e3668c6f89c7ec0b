#pragma once

#include <cstdint>

#include "hpl/lu/matrix/step_geometry.h"

namespace hpl {

/// Memory of a factored panel: one contiguous message, the same on every process of a process row.
///
///     int64 zero_column | int64 pivots[width] | padding | X, (width + below_stored) x width, by
///     columns
///
/// The first `width` rows of X hold L11 and U11 on every process; below them stand the process's
/// own rows, first the panel's, then (after factorization) L21. On the process row of the diagonal
/// block these two parts are the panel's local rows as they lie in the matrix.
///
/// L21 begins on a whole line of memory, where products of GPUs take it fastest, if that leaves X
/// at a multiple of 16 bytes, without which products within the panel would be slow.
struct PanelLayout {
  std::int64_t width = 0;
  std::int64_t rows = 0;               ///< of X
  std::int64_t leading_dimension = 0;  ///< of X

  std::int64_t matrix_offset() const {
    const std::int64_t to_l21 = width % 2 == 0 ? 8 * width : 0;
    return round_up(8 * (1 + width) + to_l21, 256) - to_l21;
  }
  std::int64_t bytes() const { return matrix_offset() + 8 * leading_dimension * width; }
};

PanelLayout panel_layout(const StepGeometry& geometry);
/// Bytes that hold the panel of any step.
std::int64_t largest_panel_bytes(const LocalShape& shape);

}  // namespace hpl
