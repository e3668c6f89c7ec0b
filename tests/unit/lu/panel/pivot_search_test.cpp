#include "lu/panel/pivot_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/panel/panel_layout.h"
#include "support/reference_lu.h"

namespace hpl {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

PivotCandidate find(const std::vector<double>& column) {
  return find_pivot(column.data(), std::ssize(column));
}

TEST(FindPivot, FindsTheLargestMagnitudeAtEveryPlaceOfEveryLength) {
  for (std::int64_t size = 1; size <= 40; ++size) {
    std::vector<double> column = test::random_dense(size, 1, static_cast<unsigned>(size)).data;
    for (std::int64_t place = 0; place < size; ++place) {
      const double kept = column[place];
      column[place] = place % 2 == 0 ? -3.5 : 3.5;
      const PivotCandidate found = find(column);
      EXPECT_EQ(found.magnitude, 3.5) << "length " << size;
      EXPECT_EQ(found.index, place) << "length " << size;
      column[place] = kept;
    }
  }
}

TEST(FindPivot, TakesTheFirstOfEquals) {
  for (std::int64_t size = 2; size <= 40; ++size)
    for (std::int64_t first = 0; first + 1 < size; ++first) {
      std::vector<double> column(size, 1.0);
      column[first] = -2.0;
      column[size - 1] = 2.0;
      EXPECT_EQ(find(column).index, first) << "length " << size;
    }
}

TEST(FindPivot, FindsNothingInNothing) {
  EXPECT_EQ(find({}).magnitude, 0.0);
  EXPECT_EQ(find({}).index, 0);
}

TEST(FindPivot, FindsNothingAmongZeros) {
  for (std::int64_t size = 1; size <= 40; ++size) {
    std::vector<double> column(size, 0.0);
    column[size / 2] = -0.0;
    EXPECT_EQ(find(column).magnitude, 0.0);
    EXPECT_EQ(find(column).index, 0);
  }
}

TEST(FindPivot, NeverTakesNan) {
  for (std::int64_t size = 1; size <= 40; ++size)
    for (std::int64_t place = 0; place < size; ++place) {
      std::vector<double> column(size, kNan);
      EXPECT_EQ(find(column).magnitude, 0.0);
      column[place] = -0.25;
      EXPECT_EQ(find(column).magnitude, 0.25) << "length " << size;
      EXPECT_EQ(find(column).index, place) << "length " << size;
    }
}

TEST(FindPivot, TakesInfinityAndSubnormals) {
  EXPECT_EQ(find({1.0, -kInfinity, kNan, 2.0}).index, 1);
  EXPECT_EQ(find({0.0, 5e-324, 0.0}).index, 1);
}

TEST(Scale, DividesByThePivot) {
  std::vector<double> column{1.0, -6.0, 0.0};
  scale(column.data(), 3, -4.0);
  EXPECT_EQ(column, (std::vector<double>{-0.25, 1.5, 0.0}));
}

TEST(Scale, DoesNotOverflowOnASubnormalPivot) {
  const double pivot = 4e-320;
  std::vector<double> column{pivot, -pivot / 2, 0.0};
  scale(column.data(), 3, pivot);
  EXPECT_EQ(column, (std::vector<double>{1.0, -0.5, 0.0}));
}

TEST(Scale, LeavesAnEmptyColumnAlone) {
  EXPECT_NO_THROW(scale(nullptr, 0, 2.0));
}

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
