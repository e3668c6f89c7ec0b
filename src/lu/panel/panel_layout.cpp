#include "hpl/lu/panel/panel_layout.h"

namespace hpl {

PanelLayout panel_layout(const StepGeometry& geometry) {
  const std::int64_t rows = geometry.width + geometry.below_stored;
  return {.width = geometry.width,
          .rows = rows,
          .leading_dimension = padded_leading_dimension(rows, kPadding)};
}

std::int64_t largest_panel_bytes(const LocalShape& shape) {
  // The first: width and rows never grow from step to step, and more rows never have a smaller
  // leading dimension.
  return step_count(shape) == 0 ? 0 : panel_layout(step_geometry(shape, 0)).bytes();
}

}  // namespace hpl
