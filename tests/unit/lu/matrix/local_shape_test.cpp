#include <algorithm>
#include <bit>
#include <cstdint>
#include <ostream>

#include <gtest/gtest.h>

#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/lu/matrix/step_geometry.h"

namespace hpl {
namespace {

TEST(RoundUp, LeavesMultiplesAlone) {
  EXPECT_EQ(round_up(0, 16), 0);
  EXPECT_EQ(round_up(1, 16), 16);
  EXPECT_EQ(round_up(16, 16), 16);
  EXPECT_EQ(round_up(6'000'000'001, 16), 6'000'000'016);
}

TEST(PaddedLeadingDimension, IsAnAlignedSizeThatFits) {
  for (const std::int64_t alignment : {1, 4, 8, 16, 24, 100}) {
    for (std::int64_t size = 0; size < 3000; ++size) {
      const std::int64_t ld = padded_leading_dimension(size, alignment);
      ASSERT_GE(ld, size);
      ASSERT_EQ(ld % alignment, 0) << "size " << size << " alignment " << alignment;
      ASSERT_FALSE(std::has_single_bit(static_cast<std::uint64_t>(ld))) << ld;
      ASSERT_NE(ld % 256, 0) << "size " << size << " alignment " << alignment;
      ASSERT_LT(ld, std::max(size, kPadding) + 3 * alignment);
    }
  }
}

TEST(PaddedLeadingDimension, IsNoPowerOfTwoEvenWhenTheAlignmentIsOne) {
  for (const std::int64_t alignment : {256, 512, 4096}) {
    for (const std::int64_t size : {0, 1, 256, 1024, 4096, 5000}) {
      const std::int64_t ld = padded_leading_dimension(size, alignment);
      EXPECT_FALSE(std::has_single_bit(static_cast<std::uint64_t>(ld))) << ld;
      EXPECT_EQ(ld % alignment, 0);
    }
  }
}

TEST(LocalShape, PartsAddUpToTheWholeMatrix) {
  for (const std::int64_t order : {0, 1, 5, 64, 100}) {
    const RunSpec spec{.order = order, .block_size = 8, .grid_rows = 3, .grid_columns = 2};
    std::int64_t elements = 0;
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 2; ++column) {
        const LocalShape shape = local_shape(spec, {row, column});
        elements += shape.local_rows * shape.local_columns;
        EXPECT_EQ(shape.stored_rows, round_up(shape.local_rows, kPadding));
        EXPECT_EQ(shape.stored_columns, round_up(shape.local_columns, kPadding));
        EXPECT_GE(shape.leading_dimension, shape.stored_columns);
      }
    EXPECT_EQ(elements, order * (order + 1));
  }
}

TEST(LocalShape, CountsTheRightHandSideAsTheLastColumn) {
  const RunSpec spec{.order = 16, .block_size = 8, .grid_rows = 1, .grid_columns = 2};
  EXPECT_EQ(local_shape(spec, {0, 0}).local_columns, 9);
  EXPECT_EQ(local_shape(spec, {0, 1}).local_columns, 8);
}

TEST(LocalShape, KeepsTheRightHandSideWithTheLastBlockOfATable) {
  RunSpec spec{.order = 64, .block_size = 8, .grid_rows = 1, .grid_columns = 3};
  spec.column_weights = {1.0, 1.3, 0.8};
  const std::vector<int> owners = distribute_blocks(64, 8, spec.column_weights);
  const ColumnMap columns = local_shape(spec, {0, 0}).columns;
  for (std::size_t number = 0; number < owners.size(); ++number)
    EXPECT_EQ(columns.owner({static_cast<std::int64_t>(number) * 8}), owners[number]);
  EXPECT_EQ(columns.owner({64}), owners.back());
}

TEST(LocalShape, DistributesRowsByTheirWeights) {
  RunSpec spec{.order = 64, .block_size = 8, .grid_rows = 3, .grid_columns = 1};
  spec.row_weights = {1.0, 1.3, 0.8};
  const std::vector<int> owners = distribute_blocks(64, 8, spec.row_weights);
  const RowMap rows = local_shape(spec, {0, 0}).rows;
  for (std::size_t number = 0; number < owners.size(); ++number)
    EXPECT_EQ(rows.owner({static_cast<std::int64_t>(number) * 8}), owners[number]);
}

TEST(LocalShape, KnowsTheProcessThatHasMost) {
  struct Weights {
    std::vector<double> rows, columns;
  };
  for (std::int64_t order = 1; order <= 200; ++order)
    for (const Weights& weights :
         {Weights{}, Weights{{0.8, 1.0}, {1.0, 1.3, 0.8}}, Weights{{1, 1}, {1, 1, 1}}}) {
      const RunSpec spec{.order = order,
                         .block_size = 8,
                         .grid_rows = 2,
                         .grid_columns = 3,
                         .row_weights = weights.rows,
                         .column_weights = weights.columns};
      std::int64_t rows = 0, columns = 0;
      for (int p = 0; p < spec.grid_rows; ++p)
        rows = std::max(rows, local_shape(spec, {p, 0}).local_rows);
      for (int q = 0; q < spec.grid_columns; ++q)
        columns = std::max(columns, local_shape(spec, {0, q}).local_columns);
      const LocalShape largest = largest_local_shape(spec);
      EXPECT_EQ(largest.local_rows, rows) << "N = " << order << ", " << weights.rows.size();
      EXPECT_EQ(largest.local_columns, columns) << "N = " << order << ", " << weights.rows.size();
    }
}

TEST(LocalShape, HoldsPartsOfMoreThanTwoToTheThirtyOneElements) {
  const RunSpec spec{.order = 300'000, .block_size = 256, .grid_rows = 2, .grid_columns = 2};
  const LocalShape shape = local_shape(spec, {0, 0});
  EXPECT_EQ(shape.local_rows, 150'016);
  EXPECT_EQ(shape.local_columns, 150'016);
  EXPECT_EQ(shape.leading_dimension, 150'024);  // 150016 is a multiple of 256
  EXPECT_EQ(shape.bytes(), std::int64_t{8} * 150'016 * 150'024);
  EXPECT_GT(shape.bytes() / 8, std::int64_t{1} << 31);
}

TEST(LocalShape, DividesAHugeMatrixAmongFortyThousandProcesses) {
  const RunSpec spec{.order = 2'000'000, .block_size = 256, .grid_rows = 200, .grid_columns = 200};
  std::int64_t rows = 0, columns = 0;
  for (int p = 0; p < 200; ++p) {
    rows += local_shape(spec, {p, 199}).local_rows;
    columns += local_shape(spec, {199, p}).local_columns;
  }
  EXPECT_EQ(rows, 2'000'000);
  EXPECT_EQ(columns, 2'000'001);
}

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
