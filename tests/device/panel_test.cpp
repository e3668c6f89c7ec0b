#include <algorithm>
#include <cmath>
#include <limits>

#include "device_fixture.h"
#include "panel_reference.h"

namespace hpcx::conformance {
namespace {

class PanelTest : public DeviceTest {
 protected:
  Factors factorize(const HostMatrix& panel, int compute_units) {
    const auto solver = device_->create_panel_solver({.max_rows = panel.shape.rows,
                                                      .max_cols = panel.shape.cols,
                                                      .compute_units = compute_units});
    return factorize(*solver, panel);
  }
  Factors factorize(PanelSolver& solver, const HostMatrix& panel) {
    const auto steps = static_cast<std::size_t>(std::min(panel.shape.rows, panel.shape.cols));
    const DeviceMatrix on_device = upload(panel);
    const Buffer pivots = upload(std::vector<std::int64_t>(steps, -7));
    const Buffer zero = upload(std::vector<std::int64_t>{-7});
    solver.factorize(stream_, on_device.view, pivots.as<std::int64_t>(), zero.as<std::int64_t>());
    return {download(on_device, panel.shape), download<std::int64_t>(pivots, steps),
            download<std::int64_t>(zero, 1)[0]};
  }
  bool has_solver() {
    return device_->create_panel_solver({.max_rows = 1, .max_cols = 1}) != nullptr;
  }
};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(PanelTest);

#define HPCX_SKIP_WITHOUT_SOLVER() \
  if (!has_solver()) GTEST_SKIP() << "this device factorizes panels the host's way"

void expect_same(const Factors& actual, const Factors& expected) {
  EXPECT_EQ(actual.zero_column, expected.zero_column);
  EXPECT_EQ(actual.pivots, expected.pivots);
  expect_near(actual.panel, expected.panel, 1e-9);
}

TEST_P(PanelTest, GivesTheFactorsOfUnblockedElimination) {
  HPCX_SKIP_WITHOUT_SOLVER();
  for (const auto& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{1, 3},
                                   {31, 32},
                                   {33, 65},
                                   {700, 33},
                                   {1500, 97},
                                   {2500, 300},
                                   {5000, 140},
                                   {9000, 70}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << cols);
    const HostMatrix panel = random_matrix({rows, cols, Layout::ColumnMajor, 3, 1}, 11);
    expect_same(factorize(panel, 0), panel_reference(panel));
  }
}

TEST_P(PanelTest, DoesNotDependOnTheNumberOfMultiprocessors) {
  HPCX_SKIP_WITHOUT_SOLVER();
  // Few multiprocessors own many rows each, and so take fewer columns at once.
  const HostMatrix panel = random_matrix({7000, 70, Layout::ColumnMajor, 0, 0}, 12);
  const Factors expected = panel_reference(panel);
  for (const int compute_units : {1, 2, 4, 8, 32, 1000}) {
    SCOPED_TRACE(compute_units);
    expect_same(factorize(panel, compute_units), expected);
  }
}

TEST_P(PanelTest, FactorizesTallPanelsWiderThanOneWindow) {
  HPCX_SKIP_WITHOUT_SOLVER();
  // Less tall ones have windows where there are many.
  for (const auto& [rows, cols] :
       {std::pair<std::int64_t, std::int64_t>{17001, 300}, {8300, 1024}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << cols);
    const HostMatrix panel = random_matrix({rows, cols, Layout::ColumnMajor, 0, 0}, 13);
    expect_same(factorize(panel, 0), panel_reference(panel));
  }
}

TEST_P(PanelTest, TakesTheFirstOfEqualCandidates) {
  HPCX_SKIP_WITHOUT_SOLVER();
  HostMatrix panel = random_matrix({3000, 2, Layout::ColumnMajor, 0, 0}, 14);
  for (std::int64_t i = 0; i < 3000; ++i)
    panel(i, 0) = i < 17 ? 0.25 : i % 2 == 0 ? 1.0 : -1.0;
  for (const int compute_units : {0, 1, 5}) {
    Factors factors = factorize(panel, compute_units);
    EXPECT_EQ(factors.pivots[0], 17);
    EXPECT_EQ(factors.panel(0, 0), -1.0);
  }
}

TEST_P(PanelTest, DividesByPivotsWhoseReciprocalOverflows) {
  HPCX_SKIP_WITHOUT_SOLVER();
  HostMatrix panel({600, 1, Layout::ColumnMajor, 0, 0});
  for (std::int64_t i = 0; i < 600; ++i)
    panel(i, 0) = 0x1p-1070 * static_cast<double>(i == 300 ? 8 : i % 5);
  const Factors factors = factorize(panel, 0);
  EXPECT_EQ(factors.pivots[0], 300);
  EXPECT_EQ(factors.zero_column, -1);
  HostMatrix result = factors.panel;
  for (std::int64_t i = 1; i < 600; ++i)
    ASSERT_EQ(result(i, 0), static_cast<double>(i == 300 ? 0 : i % 5) / 8) << i;
}

TEST_P(PanelTest, ReportsTheFirstColumnWithNoPivot) {
  HPCX_SKIP_WITHOUT_SOLVER();
  HostMatrix panel = random_matrix({400, 80, Layout::ColumnMajor, 0, 0}, 15);
  for (const std::int64_t column : {70, 41}) {
    for (std::int64_t i = 0; i < 400; ++i)
      panel(i, column) = 0;
    EXPECT_EQ(factorize(panel, 0).zero_column, column);
  }
  panel(123, 7) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(factorize(panel, 0).zero_column, 7);
}

TEST_P(PanelTest, CanBeUsedAgainForOtherShapes) {
  HPCX_SKIP_WITHOUT_SOLVER();
  const auto solver = device_->create_panel_solver({.max_rows = 3000, .max_cols = 128});
  for (const std::int64_t rows : {3000, 200, 1700, 1, 3000}) {
    const HostMatrix panel = random_matrix({rows, rows % 128 + 1, Layout::ColumnMajor, 0, 0}, 16);
    expect_same(factorize(*solver, panel), panel_reference(panel));
  }
}

}  // namespace
}  // namespace hpcx::conformance
