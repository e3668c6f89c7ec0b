#include "hpl/lu/panel/panel_layout.h"

#include <algorithm>

namespace hpl {

PanelLayout panel_layout(const StepGeometry& geometry) {
  const std::int64_t rows = geometry.width + geometry.below_stored;
  return {.width = geometry.width,
          .rows = rows,
          .leading_dimension = padded_leading_dimension(rows, kPadding)};
}

std::int64_t largest_panel_bytes(const LocalShape& shape) {
  const std::int64_t steps = step_count(shape);
  if (steps == 0) return 0;
  // Of those as wide as the first, the first: rows never grow from step to step, and more rows
  // never have a smaller leading dimension. The last may be narrower, with a longer way to X.
  return std::max(panel_layout(step_geometry(shape, 0)).bytes(),
                  panel_layout(step_geometry(shape, steps - 1)).bytes());
}

}  // namespace hpl
