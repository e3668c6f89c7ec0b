#include <algorithm>
#include <cmath>
#include <limits>

#include "device_fixture.h"
#include "panel_reference.h"

namespace hpcx::conformance {
namespace {

class LonePanelTest : public PanelTest {};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(LonePanelTest);

void expect_same(const Factors& actual, const Factors& expected) {
  EXPECT_EQ(actual.zero_column, expected.zero_column);
  EXPECT_EQ(actual.pivots, expected.pivots);
  expect_near(actual.panel, expected.panel, 1e-9);
}

TEST_P(LonePanelTest, GivesTheFactorsOfUnblockedElimination) {
  const Sizes sizes{{1, 3},     {31, 32},    {33, 65},    {700, 33},
                    {1500, 97}, {2500, 300}, {5000, 140}, {9000, 70}};
  for (const auto& [rows, cols] : sizes) {
    SCOPED_TRACE(testing::Message() << rows << " x " << cols);
    const HostMatrix panel = random_matrix({rows, cols, Layout::ColumnMajor, 3, 1}, 11);
    expect_same(factorize_alone(panel), panel_reference(panel));
  }
}

TEST_P(LonePanelTest, GivesTheFactorsOfPanelsSmallerThanItsLargest) {
  const auto solver = device_->create_panel_solver({.max_rows = 3000, .max_cols = 128});
  const Sizes sizes{{1, 1},     {2, 2},    {5, 3},    {3, 5},      {64, 64},   {100, 128},
                    {129, 128}, {1000, 1}, {777, 33}, {3000, 128}, {2999, 127}};
  for (const auto& [rows, cols] : sizes) {
    SCOPED_TRACE(testing::Message() << rows << " x " << cols);
    const HostMatrix panel = random_matrix({rows, cols, Layout::ColumnMajor, 5, 0}, 1);
    expect_same(factorize_alone(*solver, panel), panel_reference(panel));
  }
}

TEST_P(LonePanelTest, LeavesAnEmptyPanelAlone) {
  const auto solver = device_->create_panel_solver({.max_rows = 100, .max_cols = 16});
  const Buffer zero = upload(std::vector<std::int64_t>{-7});
  const Buffer pivots = upload(std::vector<std::int64_t>(16, -7));
  solver->factorize(stream_,
                    {{nullptr, 0, 16, 1}, pivots.as<std::int64_t>(), zero.as<std::int64_t>()});
  EXPECT_EQ(download<std::int64_t>(zero, 1)[0], -1);
}

TEST_P(LonePanelTest, DoesNotDependOnTheNumberOfMultiprocessors) {
  // Few multiprocessors own many rows each, and so take fewer columns at once.
  const HostMatrix panel = random_matrix({7000, 70, Layout::ColumnMajor, 0, 0}, 12);
  const Factors expected = panel_reference(panel);
  for (const int compute_units : {1, 2, 4, 8, 32, 1000}) {
    SCOPED_TRACE(compute_units);
    expect_same(factorize_alone(panel, compute_units), expected);
  }
}

TEST_P(LonePanelTest, FactorizesTallPanelsWiderThanOneWindow) {
  // Less tall ones have windows where there are many.
  for (const auto& [rows, cols] : Sizes{{17001, 300}, {8300, 1024}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << cols);
    const HostMatrix panel = random_matrix({rows, cols, Layout::ColumnMajor, 0, 0}, 13);
    expect_same(factorize_alone(panel), panel_reference(panel));
  }
}

TEST_P(LonePanelTest, TakesTheFirstOfEqualCandidates) {
  HostMatrix panel = random_matrix({3000, 2, Layout::ColumnMajor, 0, 0}, 14);
  for (std::int64_t i = 0; i < 3000; ++i)
    panel(i, 0) = i < 17 ? 0.25 : i % 2 == 0 ? 1.0 : -1.0;
  for (const int compute_units : {0, 1, 5}) {
    Factors factors = factorize_alone(panel, compute_units);
    EXPECT_EQ(factors.pivots[0], 17);
    EXPECT_EQ(factors.panel(0, 0), -1.0);
  }
}

TEST_P(LonePanelTest, DividesByPivotsWhoseReciprocalOverflows) {
  HostMatrix panel({600, 1, Layout::ColumnMajor, 0, 0});
  for (std::int64_t i = 0; i < 600; ++i)
    panel(i, 0) = 0x1p-1070 * static_cast<double>(i == 300 ? 8 : i % 5);
  const Factors factors = factorize_alone(panel);
  EXPECT_EQ(factors.pivots[0], 300);
  EXPECT_EQ(factors.zero_column, -1);
  HostMatrix result = factors.panel;
  for (std::int64_t i = 1; i < 600; ++i)
    ASSERT_EQ(result(i, 0), static_cast<double>(i == 300 ? 0 : i % 5) / 8) << i;
}

TEST_P(LonePanelTest, ReportsTheFirstColumnWithNoPivotAndDividesByNothing) {
  HostMatrix panel = random_matrix({400, 80, Layout::ColumnMajor, 0, 0}, 15);
  for (const std::int64_t column : {70, 41}) {
    for (std::int64_t i = 0; i < 400; ++i)
      panel(i, column) = 0;
    const Factors factors = factorize_alone(panel);
    EXPECT_EQ(factors.zero_column, column);
    expect_same(factors, panel_reference(panel));
  }
  panel(123, 7) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(factorize_alone(panel).zero_column, 7);
}

TEST_P(LonePanelTest, CanBeUsedAgainForOtherShapes) {
  const auto solver = device_->create_panel_solver({.max_rows = 3000, .max_cols = 128});
  for (const std::int64_t rows : {3000, 200, 1700, 1, 3000}) {
    const HostMatrix panel = random_matrix({rows, rows % 128 + 1, Layout::ColumnMajor, 0, 0}, 16);
    expect_same(factorize_alone(*solver, panel), panel_reference(panel));
  }
}

}  // namespace
}  // namespace hpcx::conformance
