#include "hpl/lu/update/tail_chunks.h"

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/matrix/step_geometry.h"

namespace hpl {
namespace {

struct Case {
  std::int64_t order, block;
  int columns;
  std::int64_t most_columns;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << "N " << c.order << " NB " << c.block << " on " << c.columns << " columns, chunks of "
       << c.most_columns;
}

class TailChunks : public testing::TestWithParam<Case> {
 protected:
  /// Calls check(shape, begin, chunks) for every process column and everything right of a panel.
  template <class Check>
  static void for_all(Check check) {
    const auto [order, block, columns, most] = GetParam();
    for (int q = 0; q < columns; ++q) {
      const LocalShape shape = local_shape(
          {.order = order, .block_size = block, .grid_rows = 2, .grid_columns = columns}, {1, q});
      for (std::int64_t step = 0; step < step_count(shape); ++step) {
        const LocalColumn begin = step_geometry(shape, step).tail_begin;
        check(shape, begin, tail_chunks(shape, begin, most));
      }
    }
  }
};

class TailChunksOfWideBlocks : public TailChunks {};

TEST_P(TailChunks, CoverTheColumnsOnceInOrder) {
  for_all([](const LocalShape& shape, LocalColumn begin, const std::vector<ColumnRange>& chunks) {
    std::int64_t next = begin.value;
    for (const ColumnRange& chunk : chunks) {
      EXPECT_EQ(chunk.begin.value, next);
      EXPECT_GT(chunk.count, 0);
      next = chunk.end();
    }
    EXPECT_EQ(next, shape.stored_columns);
  });
}

TEST_P(TailChunks, AreWholeBlocksNoWiderThanAsked) {
  for_all([](const LocalShape& shape, LocalColumn, const std::vector<ColumnRange>& chunks) {
    const std::int64_t block = GetParam().block;
    const std::int64_t widest = widest_chunk(shape, GetParam().most_columns);
    EXPECT_LE(widest, std::max(block, GetParam().most_columns));
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      EXPECT_LE(chunks[c].count, widest);
      if (c + 1 < chunks.size()) {
        EXPECT_EQ(chunks[c].count % block, 0);
      }
    }
  });
}

TEST_P(TailChunks, HaveNearlyEqualWidths) {
  for_all([](const LocalShape&, LocalColumn, const std::vector<ColumnRange>& chunks) {
    std::int64_t least = -1, most = -1;
    for (const ColumnRange& chunk : chunks) {
      const std::int64_t blocks = (chunk.count + GetParam().block - 1) / GetParam().block;
      least = least < 0 ? blocks : std::min(least, blocks);
      most = std::max(most, blocks);
    }
    EXPECT_LE(most - least, 1);
  });
}

TEST_P(TailChunksOfWideBlocks, HoldTheRightHandSideInTheLastOne) {
  for_all([](const LocalShape& shape, LocalColumn begin, const std::vector<ColumnRange>& chunks) {
    const GlobalColumn b{shape.rows.extent()};
    if (!shape.columns.mine(b)) return;
    const std::int64_t local = shape.columns.to_local(b).value;
    ASSERT_FALSE(chunks.empty()) << "right of " << begin.value;
    EXPECT_LE(chunks.back().begin.value, local);
    EXPECT_GT(chunks.back().end(), local);
  });
}

INSTANTIATE_TEST_SUITE_P(Shapes, TailChunks,
                         testing::Values(Case{1, 1, 1, 4096}, Case{1, 8, 2, 4096},
                                         Case{64, 8, 1, 24}, Case{64, 8, 2, 1}, Case{70, 8, 3, 20},
                                         Case{70, 8, 1, 1000}, Case{50, 7, 2, 14},
                                         Case{33, 1, 2, 3}, Case{96, 16, 2, 32},
                                         Case{95, 32, 4, 64}));

// Narrower blocks let the padding fill chunks of its own behind the right-hand side.
INSTANTIATE_TEST_SUITE_P(Shapes, TailChunksOfWideBlocks,
                         testing::Values(Case{96, 16, 1, 32}, Case{96, 16, 2, 32},
                                         Case{95, 32, 4, 64}, Case{10, 16, 1, 16}));

TEST(WidestChunk, IsAtLeastOneBlock) {
  const LocalShape shape = local_shape({.order = 1000, .block_size = 128}, {0, 0});
  EXPECT_EQ(widest_chunk(shape, 1), 128);
  EXPECT_EQ(widest_chunk(shape, 300), 256);
}

TEST(WidestChunk, IsNoWiderThanTheMatrixNeeds) {
  const LocalShape shape = local_shape({.order = 100, .block_size = 32}, {0, 0});
  EXPECT_EQ(widest_chunk(shape, 4096), 112);  // 100 columns, b, padding
}

}  // namespace
}  // namespace hpl
