#include "hpl/lu/matrix/distributed_matrix.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpcx/generator.h"
#include "support/cpu_device.h"
#include "support/golden.h"

namespace hpl {
namespace {

struct Distribution {
  std::int64_t block;
  int rows, columns;
};

void PrintTo(const Distribution& d, std::ostream* out) {
  *out << "NB " << d.block << " on " << d.rows << " x " << d.columns;
}

class GeneratedMatrix : public testing::TestWithParam<Distribution> {
 protected:
  /// Calls check(matrix) for the part of every process of the grid.
  template <class Check>
  void for_all_parts(std::int64_t order, Check check) const {
    const auto [block, rows, columns] = GetParam();
    const RunSpec spec{
        .order = order, .block_size = block, .grid_rows = rows, .grid_columns = columns};
    const hpcx::Stream stream = device_->create_stream(hpcx::Priority::Normal);
    for (int p = 0; p < rows; ++p)
      for (int q = 0; q < columns; ++q) {
        const DistributedMatrix matrix(*device_, spec, {p, q});
        device_->kernels().fill(stream, 7.0, matrix.view());
        matrix.generate(stream);
        stream.ref().synchronize();
        check(matrix);
      }
  }

  /// Every golden element stands on exactly one process, bit for bit.
  void expect_golden(std::int64_t order, const std::string& name) const {
    const std::vector<test::GoldenEntry> entries = test::golden_matrix(name);
    ASSERT_FALSE(entries.empty());
    std::size_t found = 0;
    for_all_parts(order, [&](const DistributedMatrix& matrix) {
      const LocalShape& shape = matrix.shape();
      for (const auto& [row, column, value] : entries) {
        if (!shape.rows.mine({row}) || !shape.columns.mine({column})) continue;
        ++found;
        EXPECT_EQ(
            matrix.view()(shape.rows.to_local({row}).value, shape.columns.to_local({column}).value),
            value)
            << "element (" << row << ", " << column << ")";
      }
    });
    EXPECT_EQ(found, entries.size());
  }

  std::unique_ptr<hpcx::Device> device_ = test::open_cpu(2);
};

TEST_P(GeneratedMatrix, OfOrderEightIsNetlibsBitForBit) {
  expect_golden(8, "matrix_N8.csv");
}

TEST_P(GeneratedMatrix, OfOrderAThousandIsNetlibsBitForBit) {
  expect_golden(1000, "matrix_N1000_sample.csv");
}

TEST_P(GeneratedMatrix, HasZerosInThePadding) {
  for (const std::int64_t order : {0, 1, 29, 64}) {
    for_all_parts(order, [](const DistributedMatrix& matrix) {
      const LocalShape& shape = matrix.shape();
      for (std::int64_t i = 0; i < shape.stored_rows; ++i)
        for (std::int64_t j = 0; j < shape.stored_columns; ++j)
          if (i >= shape.local_rows || j >= shape.local_columns) {
            ASSERT_EQ(matrix.view()(i, j), 0.0) << i << ", " << j;
          }
    });
  }
}

TEST_P(GeneratedMatrix, HasEveryElementInItsPlace) {
  constexpr std::int64_t kOrder = 61;
  for_all_parts(kOrder, [](const DistributedMatrix& matrix) {
    const LocalShape& shape = matrix.shape();
    for (std::int64_t i = 0; i < shape.local_rows; ++i)
      for (std::int64_t j = 0; j < shape.local_columns; ++j) {
        const auto row = static_cast<std::uint64_t>(shape.rows.to_global({i}).value);
        const auto column = static_cast<std::uint64_t>(shape.columns.to_global({j}).value);
        ASSERT_EQ(matrix.view()(i, j),
                  hpcx::generator::value(hpcx::generator::state_of(kOrder, row, column)));
      }
  });
}

INSTANTIATE_TEST_SUITE_P(Grids, GeneratedMatrix,
                         testing::Values(Distribution{64, 1, 1}, Distribution{1, 2, 2},
                                         Distribution{37, 3, 2}, Distribution{5, 1, 4},
                                         Distribution{128, 4, 1}));

}  // namespace
}  // namespace hpl
