#include "hpl/lu/matrix/step_geometry.h"

#include <algorithm>
#include <cstdint>
#include <ostream>

#include <gtest/gtest.h>

namespace hpl {
namespace {

struct Shape {
  std::int64_t order, block;
  int rows, columns;
};

void PrintTo(const Shape& shape, std::ostream* out) {
  *out << "N " << shape.order << " NB " << shape.block << " on " << shape.rows << " x "
       << shape.columns;
}

class StepGeometries : public testing::TestWithParam<Shape> {
 protected:
  /// Calls check(shape, geometry) for every process and step.
  template <class Check>
  static void for_all(Check check) {
    const auto [order, block, rows, columns] = GetParam();
    const RunSpec spec{
        .order = order, .block_size = block, .grid_rows = rows, .grid_columns = columns};
    for (int p = 0; p < rows; ++p)
      for (int q = 0; q < columns; ++q) {
        const LocalShape shape = local_shape(spec, {p, q});
        for (std::int64_t step = 0; step < step_count(shape); ++step)
          check(shape, step_geometry(shape, step));
      }
  }
};

TEST_P(StepGeometries, CoverTheColumnsWithPanels) {
  for_all([](const LocalShape& shape, const StepGeometry& g) {
    EXPECT_EQ(g.first, g.step * GetParam().block);
    EXPECT_EQ(g.width, std::min(GetParam().block, GetParam().order - g.first));
    EXPECT_GT(g.width, 0);
    if (g.step + 1 == step_count(shape)) {
      EXPECT_EQ(g.first + g.width, GetParam().order);
    }
  });
}

TEST_P(StepGeometries, CountTheRowsAboveInAndBelowTheDiagonalBlock) {
  for_all([](const LocalShape& shape, const StepGeometry& g) {
    std::int64_t above = 0, inside = 0, below = 0;
    for (std::int64_t l = 0; l < shape.local_rows; ++l) {
      const std::int64_t row = shape.rows.to_global({l}).value;
      ++(row < g.first ? above : row < g.first + g.width ? inside : below);
    }
    EXPECT_EQ(g.row_begin.value, above);
    EXPECT_EQ(g.top_rows, inside);
    EXPECT_EQ(g.below_begin.value, above + inside);
    EXPECT_EQ(g.below_rows, below);
    EXPECT_EQ(g.below_stored, shape.stored_rows - above - inside);
    EXPECT_EQ(g.on_owner_row, g.top_rows > 0);
    EXPECT_EQ(g.on_owner_row, shape.rows.mine({g.first}));
  });
}

TEST_P(StepGeometries, CountTheColumnsLeftOfAndBehindThePanel) {
  for_all([](const LocalShape& shape, const StepGeometry& g) {
    std::int64_t left = 0, inside = 0, right = 0;
    for (std::int64_t l = 0; l < shape.local_columns; ++l) {
      const std::int64_t column = shape.columns.to_global({l}).value;
      ++(column < g.first ? left : column < g.first + g.width ? inside : right);
    }
    EXPECT_EQ(g.panel_begin.value, left);
    EXPECT_EQ(g.on_owner_column, inside == g.width);
    EXPECT_EQ(g.tail_begin.value, left + inside);
    EXPECT_EQ(g.tail_columns, right == 0 ? 0 : shape.stored_columns - left - inside);
  });
}

INSTANTIATE_TEST_SUITE_P(Shapes, StepGeometries,
                         testing::Values(Shape{0, 4, 1, 1}, Shape{1, 1, 1, 1}, Shape{1, 8, 2, 3},
                                         Shape{13, 1, 2, 3}, Shape{64, 8, 2, 2}, Shape{70, 8, 3, 2},
                                         Shape{70, 100, 3, 2}, Shape{48, 16, 1, 6},
                                         Shape{33, 5, 6, 1}));

TEST(StepGeometry, StandsAnywhereInAHugeMatrix) {
  const RunSpec spec{.order = 2'000'000, .block_size = 256, .grid_rows = 200, .grid_columns = 200};
  std::int64_t top = 0, below = 0, owners = 0;
  constexpr std::int64_t kStep = 5'000;
  for (int p = 0; p < 200; ++p) {
    const LocalShape shape = local_shape(spec, {p, p});
    EXPECT_EQ(step_count(shape), 7813);
    EXPECT_EQ(step_geometry(shape, 7812).width, 2'000'000 - 7812 * 256);
    const StepGeometry g = step_geometry(shape, kStep);
    top += g.top_rows;
    below += g.below_rows;
    owners += g.on_owner_column;
    EXPECT_EQ(g.owner_row, kStep % 200);
  }
  EXPECT_EQ(top, 256);
  EXPECT_EQ(below, 2'000'000 - (kStep + 1) * 256);
  EXPECT_EQ(owners, 1);
}

TEST(StepGeometry, CountsInSixtyFourBits) {
  const RunSpec spec{.order = 5'000'000'000, .block_size = 512};
  const LocalShape shape = local_shape(spec, {0, 0});
  const StepGeometry g = step_geometry(shape, step_count(shape) - 1);
  EXPECT_EQ(g.first + g.width, 5'000'000'000);
  EXPECT_EQ(g.row_begin.value, g.first);
  EXPECT_EQ(g.below_rows, 0);
}

}  // namespace
}  // namespace hpl
