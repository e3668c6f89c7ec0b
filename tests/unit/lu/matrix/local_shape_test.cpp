#include <bit>
#include <cstdint>

#include <gtest/gtest.h>

#include "hpl/lu/matrix/distributed_matrix.h"

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
  struct Distribution {
    std::vector<double> rows, columns;
  };
  for (std::int64_t order = 1; order <= 200; ++order)
    for (const Distribution& weights : {Distribution{}, Distribution{{0.8, 1.0}, {1.0, 1.3, 0.8}},
                                        Distribution{{1, 1}, {1, 1, 1}}}) {
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

}  // namespace
}  // namespace hpl
