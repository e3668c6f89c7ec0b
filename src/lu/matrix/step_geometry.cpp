#include "hpl/lu/matrix/step_geometry.h"

#include <algorithm>

namespace hpl {

std::int64_t step_count(const LocalShape& shape) {
  return (shape.rows.extent() + shape.rows.block() - 1) / shape.rows.block();
}

std::int64_t panel_width(const LocalShape& shape) {
  return std::min(shape.rows.block(), shape.rows.extent());
}

StepGeometry step_geometry(const LocalShape& shape, std::int64_t step) {
  const RowMap& rows = shape.rows;
  const ColumnMap& columns = shape.columns;
  StepGeometry g{.step = step, .first = step * rows.block()};
  g.width = std::min(rows.block(), rows.extent() - g.first);
  g.owner_row = rows.owner({g.first});
  g.owner_column = columns.owner({g.first});
  g.on_owner_row = g.owner_row == rows.rank();
  g.on_owner_column = g.owner_column == columns.rank();
  g.row_begin = rows.lower_bound({g.first});
  g.below_begin = rows.lower_bound({g.first + g.width});
  g.top_rows = g.below_begin.value - g.row_begin.value;
  g.below_rows = shape.local_rows - g.below_begin.value;
  g.below_stored = shape.stored_rows - g.below_begin.value;
  g.panel_begin = columns.lower_bound({g.first});
  g.tail_begin = columns.lower_bound({g.first + g.width});
  // Padding alone is not worth a step's work.
  g.tail_columns =
      g.tail_begin.value < shape.local_columns ? shape.stored_columns - g.tail_begin.value : 0;
  return g;
}

double update_flops(const StepGeometry& geometry, std::int64_t columns) {
  return 2.0 * static_cast<double>(geometry.below_stored) * static_cast<double>(columns) *
         static_cast<double>(geometry.width);
}

}  // namespace hpl
