#include "hpl/lu/panel/host_panel.h"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/cpu_device.h"
#include "support/panel_problem.h"

namespace hpl {
namespace {

using test::Dense;
using test::PanelProblem;

const PanelTeam kAlone{.threads = 1};

LocalShape shape_of(std::int64_t order, std::int64_t block) {
  return local_shape({.order = order, .block_size = block}, {0, 0});
}

/// Rows below the panel's first one, in a matrix of this order, at this step.
Dense random_panel(const LocalShape& shape, std::int64_t step, unsigned seed) {
  const StepGeometry g = step_geometry(shape, step);
  return test::random_dense(shape.rows.extent() - g.first, g.width, seed);
}

void expect_like_reference(PanelProblem& problem, Dense columns, const std::string& what) {
  const test::Pivots expected = test::eliminate(columns, columns.cols);
  EXPECT_EQ(problem.pivots(), expected.rows) << what;
  EXPECT_EQ(problem.zero_column(), -1) << what;
  EXPECT_LT(problem.distance_to(columns), 1e-11) << what;
}

TEST(HostPanel, FactorizesEveryWidth) {
  for (std::int64_t width = 1; width <= 33; ++width) {
    const LocalShape shape = shape_of(50, width);
    const Dense columns = random_panel(shape, 0, static_cast<unsigned>(width));
    PanelProblem problem(shape, 0, columns);
    problem.factorize({}, kAlone, nullptr);
    expect_like_reference(problem, columns, "width " + std::to_string(width));
  }
}

TEST(HostPanel, SharesLongPanelsAmongThreads) {
  const auto device = test::open_cpu(3);
  const PanelTeam team{3, [&](std::int64_t count, const std::function<void(std::int64_t)>& body) {
                         device->parallel_for(count, body);
                       }};
  const LocalShape shape = shape_of(1500, 64);
  const Dense columns = random_panel(shape, 0, 5);
  for (const PanelVariant variant :
       {PanelVariant::Left, PanelVariant::Crout, PanelVariant::Right}) {
    PanelProblem problem(shape, 0, columns);
    problem.factorize({.recursive_variant = variant, .panel_variant = variant}, team, nullptr);
    expect_like_reference(problem, columns, std::string(to_string(variant)));
  }
}

/// Columns long enough for threads to search and divide them together.
TEST(HostPanel, SharesLongColumnsAmongThreads) {
  const auto device = test::open_cpu(3);
  const PanelTeam team{3, [&](std::int64_t count, const std::function<void(std::int64_t)>& body) {
                         device->parallel_for(count, body);
                       }};
  const LocalShape shape = shape_of(50000, 6);
  Dense columns = random_panel(shape, 0, 7);
  PanelProblem problem(shape, 0, columns);
  problem.factorize({}, team, nullptr);
  expect_like_reference(problem, columns, "random");

  // Of many that are as large the first is the pivot, whoever finds it.
  for (std::int64_t j = 0; j < columns.cols; ++j)
    for (std::int64_t i = 0; i < columns.rows; ++i)
      columns(i, j) = i < 17 * (j + 1) ? 0.25 : (i + j) % 3 == 0 ? -1 : 0.5;
  PanelProblem alone(shape, 0, columns), shared(shape, 0, columns);
  alone.factorize({}, kAlone, nullptr);
  shared.factorize({}, team, nullptr);
  EXPECT_EQ(shared.pivots(), alone.pivots());
}

TEST(HostPanel, KeepsZerosInThePadding) {
  const LocalShape shape = shape_of(37, 12);
  PanelProblem problem(shape, 0, random_panel(shape, 0, 4));
  problem.factorize({}, kAlone, nullptr);
  for (std::int64_t i = problem.owned_end(); i < problem.x().rows; ++i)
    for (std::int64_t j = 0; j < problem.x().cols; ++j)
      EXPECT_EQ(problem.x()(i, j), 0.0);
}

TEST(HostPanel, TreatsACopyOfAColumnAsWithoutPivot) {
  const LocalShape shape = shape_of(30, 8);
  Dense columns = test::exact_singular_panel(30, 8, {}, 1);
  for (std::int64_t i = 0; i < columns.rows; ++i)
    columns(i, 5) = columns(i, 2);
  for (const PanelSweep& sweep : test::all_sweeps()) {
    PanelProblem problem(shape, 0, columns);
    problem.factorize(sweep, kAlone, nullptr);
    EXPECT_EQ(problem.zero_column(), 5) << test::describe(sweep);
  }
}

TEST(HostPanel, TakesAColumnOfNanForOneWithoutPivot) {
  const LocalShape shape = shape_of(20, 6);
  Dense columns = random_panel(shape, 0, 2);
  for (std::int64_t i = 0; i < columns.rows; ++i)
    columns(i, 3) = std::numeric_limits<double>::quiet_NaN();
  PanelProblem problem(shape, 0, columns);
  problem.factorize({}, kAlone, nullptr);
  EXPECT_EQ(problem.zero_column(), 3);
}

}  // namespace
}  // namespace hpl
