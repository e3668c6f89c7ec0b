#include "hpl/lu/panel/panel_layout.h"

namespace hpl {

PanelLayout panel_layout(const StepGeometry& geometry) {
  const std::int64_t rows = geometry.width + geometry.below_stored;
  return {.width = geometry.width,
          .rows = rows,
          .leading_dimension = padded_leading_dimension(rows, kPadding)};
}

std::int64_t largest_panel_bytes(const LocalShape& shape) {
  if (step_count(shape) == 0) return 0;
  // Rows and width never grow from step to step, nor does the leading dimension. X of a narrower
  // panel may begin later, by less than a column of X.
  return panel_layout(step_geometry(shape, 0)).bytes();
}

}  // namespace hpl
