#pragma once

#include <cstdint>

#include "hpl/lu/matrix/distributed_matrix.h"

namespace hpl {

/// The place of step k of the factorization in this process's part of the matrix. Pure.
///
///               row_begin ->  +---------+-----------------+
///                             |   L11   |    U12          |  `top_rows`: on the diagonal row only
///               below_begin ->+---------+-----------------+
///                             |   L21   |    A22          |  `below_rows`
///                             +---------+-----------------+
///                              width     tail_begin ...
struct StepGeometry {
  std::int64_t step = 0;
  std::int64_t first = 0;  ///< global index of the panel's first row and column
  std::int64_t width = 0;  ///< columns of the panel: NB, fewer at the end
  int owner_row = 0;       ///< process row of the diagonal block
  int owner_column = 0;    ///< process column of the panel
  bool on_owner_row = false, on_owner_column = false;
  LocalRow row_begin;             ///< first local row not above the panel
  LocalRow below_begin;           ///< first local row below the diagonal block
  std::int64_t top_rows = 0;      ///< width on the owner row, else 0
  std::int64_t below_rows = 0;    ///< owned rows below the diagonal block
  std::int64_t below_stored = 0;  ///< the same with the padding, which is zero
  LocalColumn panel_begin;        ///< first local column of the panel, on the owner column
  LocalColumn tail_begin;         ///< first local column right of the panel
  std::int64_t tail_columns = 0;  ///< to the end of the storage: b and padding included
};

std::int64_t step_count(const LocalShape& shape);
/// Columns of the widest panel.
std::int64_t panel_width(const LocalShape& shape);
StepGeometry step_geometry(const LocalShape& shape, std::int64_t step);
/// Operations of the product that updates some columns of the tail, padding included.
double update_flops(const StepGeometry& geometry, std::int64_t columns);

}  // namespace hpl
