#include "hpl/lu/update/tail_chunks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "hpcx/emulation.h"
#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/update/tail_product.h"
#include "support/emulated_product.h"

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

using hpcx::Layout;
using hpcx::test::Dense;

constexpr ProductLimits kLimits{.panels = 2, .chunks = 2, .rows = 50, .columns = 40, .depth = 16};

Dense random_values(std::int64_t rows, std::int64_t cols, Layout layout, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  return hpcx::test::dense(rows, cols, layout,
                           [&](std::int64_t, std::int64_t) { return uniform(random); });
}

/// C less products of both panels with both chunks, the operands larger and smaller than those
/// before them.
Dense updated(int moduli) {
  const auto device = hpcx::open_device({.backend = hpcx::Backend::Cpu, .cpu = {.threads = 2}});
  const hpcx::Stream stream = device->create_stream(hpcx::Priority::Normal);
  const auto product = make_product(*device, kLimits, moduli);
  Dense c = random_values(50, 40, Layout::RowMajor, 1);
  Dense l_of[2] = {random_values(50, 16, Layout::ColumnMajor, 2),
                   random_values(31, 9, Layout::ColumnMajor, 3)};
  Dense u_of[2] = {random_values(16, 40, Layout::RowMajor, 4),
                   random_values(9, 40, Layout::RowMajor, 5)};
  for (int panel = 0; panel < 2; ++panel) {
    product->prepare_l21(stream, panel, l_of[panel].view());
    product->prepare_u12(stream, panel, u_of[panel].view());
  }
  for (int panel = 0; panel < 2; ++panel)
    product->subtract(stream, panel, panel, c.view().row_range(0, l_of[panel].rows));
  stream.ref().synchronize();
  return c;
}

TEST(TailProduct, OfEitherArithmeticTakesThePreparedOperands) {
  const Dense native = updated(0);
  for (const int moduli : {hpcx::kFewestModuli, hpcx::kDefaultModuli}) {
    const Dense emulated = updated(moduli);
    double largest = 0;
    for (std::size_t i = 0; i < native.data.size(); ++i)
      largest = std::max(largest, std::abs(emulated.data[i] - native.data[i]));
    EXPECT_LT(largest, moduli == hpcx::kDefaultModuli ? 1e-15 : 1e-12);
    EXPECT_GT(largest, 0);
  }
}

/// U12 = L^-1 U of an L of `width` rows, by products of `moduli` or in FP64, and its largest error.
Dense solved(std::int64_t width, int moduli, double* error) {
  const auto device = hpcx::open_device({.backend = hpcx::Backend::Cpu, .cpu = {.threads = 2}});
  const hpcx::Stream stream = device->create_stream(hpcx::Priority::Normal);
  const std::int64_t columns = 23;
  const auto product = make_product(
      *device, {.rows = 1, .columns = columns, .depth = 600, .solve_rows = 50}, moduli);
  Dense l = random_values(width, width, Layout::ColumnMajor, 6), inverse(width, width),
        u = random_values(width, columns, Layout::RowMajor, 7), u12(width, columns);
  for (double& value : l.data)
    value /= 16;
  for (std::int64_t i = 0; i < width; ++i)
    l(i, i) = 1;
  device->kernels().invert_unit_lower(stream, l.view(), inverse.view());
  product->prepare_l11(stream, 0, inverse.view());
  product->solve(stream, 0, 0, {inverse.view(), u.view(), u12.view(), 50});
  stream.ref().synchronize();
  for (std::int64_t i = 0; i < width; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      double sum = u(i, j);
      for (std::int64_t k = 0; k <= i; ++k)
        sum -= l(i, k) * u12(k, j);
      *error = std::max(*error, std::abs(sum));
    }
  return u12;
}

TEST(TailProduct, SolvesByResiduesWherePanelsAreWide) {
  for (const std::int64_t width : {512, 600}) {  // in parts of 128 rows
    double error = 0, native_error = 0;
    EXPECT_NE(solved(width, 15, &error).data, solved(width, 0, &native_error).data);
    EXPECT_LT(error, 4 * native_error);
  }
  double error = 0;
  EXPECT_EQ(solved(511, 15, &error).data, solved(511, 0, &error).data);
}

TEST(TailProduct, AccountsForResiduesAndForAWorkspaceOnDevicesWithMemoryOfTheirOwn) {
  EXPECT_EQ(product_bytes(kLimits, 0, false), 0);
  const std::int64_t residues =
      2 * hpcx::residue_bytes(50, 16, 14) + 2 * hpcx::residue_bytes(40, 16, 14);
  EXPECT_EQ(product_bytes(kLimits, 14, true), residues);
  EXPECT_EQ(product_bytes(kLimits, 14, false),
            residues + hpcx::emulation_workspace_bytes(50, 40, 14));
  ProductLimits wide = kLimits;
  wide.depth = 512;
  const std::int64_t without = product_bytes(wide, 14, false);
  wide.solve_rows = 50;  // products of 128 rows
  EXPECT_EQ(product_bytes(wide, 14, false) - without,
            2 * hpcx::residue_bytes(512, 512, 14) + hpcx::emulation_workspace_bytes(128, 40, 14));
}

}  // namespace
}  // namespace hpl
