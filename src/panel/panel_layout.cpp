#include "hpl/panel/panel_layout.h"

#include <algorithm>

namespace hpl {

PanelLayout panel_layout(const StepGeometry& geometry) {
  const std::int64_t rows = geometry.width + geometry.below_stored;
  return {.width = geometry.width,
          .rows = rows,
          .leading_dimension = padded_leading_dimension(rows, kPadding)};
}

std::int64_t largest_panel_bytes(const LocalShape& shape) {
  // Padding makes the sizes of neighbouring steps non-monotonic, so look at all of them.
  std::int64_t largest = 0;
  for (std::int64_t step = 0; step < step_count(shape); ++step)
    largest = std::max(largest, panel_layout(step_geometry(shape, step)).bytes());
  return largest;
}

}  // namespace hpl
