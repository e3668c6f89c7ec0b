#include <algorithm>
#include <cmath>

#include "device_fixture.h"

namespace hpcx::conformance {
namespace {

class FactorizationTest : public DeviceTest {
 protected:
  /// A solver's result in device memory.
  struct Result {
    HostMatrix panel;
    std::vector<std::int64_t> pivots;
    std::int64_t zero_column;
  };

  Result factorize(PanelSolver& solver, const HostMatrix& panel) {
    const auto steps = static_cast<std::size_t>(std::min(panel.shape.rows, panel.shape.cols));
    const DeviceMatrix on_device = upload(panel);
    const Buffer pivots = upload(std::vector<std::int64_t>(steps + 1, -7));
    const Buffer zero = upload(std::vector<std::int64_t>{-7});
    solver.factorize(stream_, {on_device.view, pivots.as<std::int64_t>(), zero.as<std::int64_t>()});
    Result result{download(on_device, panel.shape), download<std::int64_t>(pivots, steps),
                  download<std::int64_t>(zero, 1)[0]};
    return result;
  }

  std::unique_ptr<PanelSolver> solver(std::int64_t rows, std::int64_t cols) {
    return device_->create_panel_solver({.max_rows = rows, .max_cols = cols});
  }
};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(FactorizationTest);

/// P A - L U, with the exchanges that the pivots say applied to the original.
void expect_factors_of(HostMatrix original, HostMatrix& factors,
                       const std::vector<std::int64_t>& pivots) {
  const std::int64_t rows = original.shape.rows;
  const std::int64_t cols = original.shape.cols;
  const auto steps = static_cast<std::int64_t>(pivots.size());
  for (std::int64_t c = 0; c < steps; ++c) {
    const std::int64_t pivot = pivots[static_cast<std::size_t>(c)];
    ASSERT_GE(pivot, c);
    ASSERT_LT(pivot, rows);
    for (std::int64_t j = 0; j < cols; ++j)
      std::swap(original(c, j), original(pivot, j));
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < cols; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k <= std::min({i, j, steps - 1}); ++k)
        sum += (k == i ? 1.0 : factors(i, k)) * factors(k, j);
      ASSERT_NEAR(sum, original(i, j), 1e-11) << "element " << i << ", " << j;
      if (j < i && j < steps) {
        ASSERT_LE(std::abs(factors(i, j)), 1.0 + 1e-12);
      }
    }
  }
}

TEST_P(FactorizationTest, GivesTheFactorsOfTallAndSmallPanels) {
  const auto panel_solver = solver(3000, 128);
  if (panel_solver == nullptr) GTEST_SKIP() << "this device factorizes panels the host's way";
  for (const auto& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                   {2, 2},
                                   {5, 3},
                                   {3, 5},
                                   {64, 64},
                                   {100, 128},
                                   {129, 128},
                                   {1000, 1},
                                   {777, 33},
                                   {3000, 128},
                                   {2999, 127}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << cols);
    const HostMatrix panel = random_matrix({rows, cols, Layout::ColumnMajor, 5, 0}, 1);
    Result result = factorize(*panel_solver, panel);
    EXPECT_EQ(result.zero_column, -1);
    expect_factors_of(panel, result.panel, result.pivots);
  }
}

TEST_P(FactorizationTest, ReportsTheColumnOfAZeroPivotAndDividesByNothing) {
  const auto panel_solver = solver(500, 64);
  if (panel_solver == nullptr) GTEST_SKIP() << "this device factorizes panels the host's way";
  HostMatrix panel = random_matrix({500, 64, Layout::ColumnMajor, 0, 0}, 2);
  for (std::int64_t i = 0; i < 500; ++i)
    panel(i, 21) = 0;
  Result result = factorize(*panel_solver, panel);
  EXPECT_EQ(result.zero_column, 21);
  for (std::int64_t j = 0; j < 64; ++j)
    for (std::int64_t i = 0; i < 500; ++i)
      ASSERT_TRUE(std::isfinite(result.panel(i, j))) << i << ", " << j;
}

TEST_P(FactorizationTest, LeavesAnEmptyPanelAlone) {
  const auto panel_solver = solver(100, 16);
  if (panel_solver == nullptr) GTEST_SKIP() << "this device factorizes panels the host's way";
  const Buffer zero = upload(std::vector<std::int64_t>{-7});
  const Buffer pivots = upload(std::vector<std::int64_t>(16, -7));
  panel_solver->factorize(
      stream_, {{nullptr, 0, 16, 1}, pivots.as<std::int64_t>(), zero.as<std::int64_t>()});
  EXPECT_EQ(download<std::int64_t>(zero, 1)[0], -1);
}

}  // namespace
}  // namespace hpcx::conformance
