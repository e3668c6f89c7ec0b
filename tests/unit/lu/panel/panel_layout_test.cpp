#include "hpl/lu/panel/panel_layout.h"

#include <algorithm>
#include <cstdint>

#include <gtest/gtest.h>

namespace hpl {
namespace {

LocalShape shape_of(std::int64_t order, std::int64_t block, int row, int column) {
  return local_shape({.order = order, .block_size = block, .grid_rows = 3, .grid_columns = 2},
                     {row, column});
}

TEST(PanelLayout, HoldsTheDiagonalBlockAndTheRowsBelow) {
  const StepGeometry g = step_geometry(shape_of(100, 8, 1, 0), 4);
  const PanelLayout layout = panel_layout(g);
  EXPECT_EQ(layout.width, 8);
  EXPECT_EQ(layout.rows, 8 + g.below_stored);
  EXPECT_GE(layout.leading_dimension, layout.rows);
}

TEST(PanelLayout, PutsTheHeaderBeforeAnAlignedMatrix) {
  for (const std::int64_t width : {1, 31, 32, 512, 2000}) {
    const PanelLayout layout{.width = width, .rows = width, .leading_dimension = width};
    EXPECT_GE(layout.matrix_offset(), 8 * (1 + width));
    EXPECT_EQ(layout.matrix_offset() % (width % 2 == 0 ? 16 : 256), 0);
    EXPECT_EQ(layout.bytes(), layout.matrix_offset() + 8 * width * width);
  }
}

TEST(PanelLayout, BeginsL21OnAWholeLine) {
  for (const std::int64_t width : {2, 30, 100, 512, 1000, 1004, 1024}) {
    const PanelLayout layout{.width = width, .rows = width, .leading_dimension = width};
    EXPECT_EQ((layout.matrix_offset() + 8 * width) % 128, 0) << width;
  }
}

TEST(PanelLayout, IsTheSameOnEveryProcessOfARow) {
  for (int row = 0; row < 3; ++row)
    for (std::int64_t step = 0; step < 13; ++step) {
      const PanelLayout left = panel_layout(step_geometry(shape_of(100, 8, row, 0), step));
      const PanelLayout right = panel_layout(step_geometry(shape_of(100, 8, row, 1), step));
      EXPECT_EQ(left.bytes(), right.bytes());
      EXPECT_EQ(left.leading_dimension, right.leading_dimension);
    }
}

TEST(PanelLayout, LargestPanelHoldsEveryStep) {
  for (std::int64_t order = 0; order < 200; ++order)
    for (const std::int64_t block : {std::int64_t{2}, 2 + order % 15}) {
      const LocalShape shape = shape_of(order, block, 2, 0);
      std::int64_t largest = 0;
      for (std::int64_t step = 0; step < step_count(shape); ++step)
        largest = std::max(largest, panel_layout(step_geometry(shape, step)).bytes());
      EXPECT_EQ(largest_panel_bytes(shape), largest) << "order " << order << " block " << block;
    }
}

TEST(PanelLayout, CountsBytesPastThirtyTwoBits) {
  const LocalShape shape = local_shape({.order = 1'000'000, .block_size = 1024}, {0, 0});
  const PanelLayout layout = panel_layout(step_geometry(shape, 0));
  EXPECT_EQ(layout.rows, 1'000'000);
  EXPECT_GT(layout.bytes(), std::int64_t{8} * 1'000'000 * 1024);
  EXPECT_LT(layout.bytes(), std::int64_t{8} * 1'001'000 * 1024);
}

}  // namespace
}  // namespace hpl
