#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/panel/host_panel.h"
#include "hpl/lu/panel/pivot_exchange.h"
#include "support/panel_problem.h"

namespace hpl {
namespace {

using test::Dense;
using test::PanelProblem;

/// All ranks are one process column.
class DistributedPanel : public testing::Test {
 protected:
  LocalShape shape_of(std::int64_t order, std::int64_t block) const {
    return local_shape({.order = order, .block_size = block, .grid_rows = comm_.size()},
                       {comm_.rank(), 0});
  }
  void factorize(PanelProblem& problem, const PanelSweep& sweep) {
    const PanelTeam alone{.threads = 1};
    problem.factorize(sweep, alone, comm_.size() > 1 ? &exchange_ : nullptr);
  }

  mpi::Communicator comm_ = mpi::Communicator::world();
  PivotExchange exchange_{comm_, mpi::WaitPolicy::sleeping()};
};

TEST_F(DistributedPanel, HasTheFactorsAndPivotsOfOneProcess) {
  const std::vector<PanelSweep> sweeps = test::all_sweeps();
  for (const auto& [order, block] : {std::pair{61, 7}, {40, 16}, {12, 12}, {77, 33}}) {
    const LocalShape shape = shape_of(order, block);
    for (std::int64_t step = 0; step < step_count(shape); ++step) {
      const StepGeometry g = step_geometry(shape, step);
      Dense columns = test::random_dense(order - g.first, g.width, static_cast<unsigned>(step));
      Dense factors = columns;
      const test::Pivots expected = test::eliminate(factors, g.width);
      // All sweeps on the first panel, a few on the others.
      for (std::size_t s = step % 5; s < sweeps.size(); s += step == 0 ? 1 : 17) {
        PanelProblem problem(shape, step, columns);
        factorize(problem, sweeps[s]);
        const std::string what = test::describe(sweeps[s]) + " step " + std::to_string(step);
        EXPECT_EQ(problem.pivots(), expected.rows) << what;
        EXPECT_EQ(problem.zero_column(), -1) << what;
        EXPECT_LT(problem.distance_to(factors), 1e-11) << what;
      }
    }
  }
}

TEST_F(DistributedPanel, NeverTakesAPivotFromThePadding) {
  const LocalShape shape = shape_of(45, 6);
  const Dense columns = test::random_dense(45, 6, 8);
  Dense factors = columns;
  const test::Pivots expected = test::eliminate(factors, 6);
  for (const PanelSweep& sweep : test::all_sweeps()) {
    PanelProblem problem(shape, 0, columns, 1e6);
    factorize(problem, sweep);
    EXPECT_EQ(problem.pivots(), expected.rows) << test::describe(sweep);
    EXPECT_LT(problem.distance_to(factors), 1e-11) << test::describe(sweep);
  }
}

TEST_F(DistributedPanel, ReportsTheFirstOfSeveralColumnsWithoutPivotOnEveryRankAndDividesByNone) {
  const LocalShape shape = shape_of(50, 10);
  for (std::int64_t zero = 0; zero < 10; zero += 3) {
    const Dense columns =
        test::exact_singular_panel(50, 10, {zero, 9}, static_cast<unsigned>(zero));
    for (const PanelSweep& sweep : test::all_sweeps()) {
      PanelProblem problem(shape, 0, columns);
      factorize(problem, sweep);
      EXPECT_EQ(problem.zero_column(), zero) << test::describe(sweep);
      for (std::int64_t i = 0; i < problem.owned_end(); ++i)
        for (std::int64_t j = 0; j < 10; ++j)
          ASSERT_TRUE(std::isfinite(problem.x()(i, j)));
    }
  }
}

TEST_F(DistributedPanel, LeavesAnAllZeroPanelAsItIs) {
  const LocalShape shape = shape_of(50, 10);
  PanelProblem problem(shape, 1, Dense(40, 10));
  factorize(problem, {});
  EXPECT_EQ(problem.zero_column(), 10);
  for (std::int64_t c = 0; c < 10; ++c)
    EXPECT_EQ(problem.pivots()[c], c);
  EXPECT_EQ(problem.distance_to(Dense(40, 10)), 0.0);
}

TEST_F(DistributedPanel, TakesTheFirstOfEqualPivotsWhoeverHasThem) {
  const LocalShape shape = shape_of(24, 2);
  Dense columns(24, 2);
  for (std::int64_t i = 0; i < 24; ++i)
    columns(i, 0) = i < 5 ? 0.5 : -1;
  for (std::int64_t i = 0; i < 24; ++i)
    columns(i, 1) = static_cast<double>(i);
  PanelProblem problem(shape, 0, columns);
  factorize(problem, {});
  EXPECT_EQ(problem.pivots()[0], 5);
}

class PivotExchangeTest : public testing::Test {
 protected:
  /// Every rank proposes `proposals[rank]`; rows carry their rank, the current one -1.
  PivotExchange::Winner exchange(const std::vector<PivotExchange::Winner>& proposals, int owner) {
    std::ranges::fill(exchange_.candidate(), static_cast<double>(rank_));
    std::ranges::fill(exchange_.current(), rank_ == owner ? -1.0 : -99.0);
    return exchange_.exchange(proposals[rank_], rank_ == owner);
  }
  void expect_rows(double candidate) {
    for (const double value : exchange_.candidate())
      EXPECT_EQ(value, candidate);
    for (const double value : exchange_.current())
      EXPECT_EQ(value, -1.0);
  }

  mpi::Communicator comm_ = mpi::Communicator::world();
  int rank_ = comm_.rank(), size_ = comm_.size();
  PivotExchange exchange_{comm_, mpi::WaitPolicy::sleeping()};
};

TEST_F(PivotExchangeTest, TheLargestMagnitudeWinsWhoeverHasIt) {
  exchange_.resize(5);
  for (int winner = 0; winner < size_; ++winner)
    for (int owner = 0; owner < size_; ++owner) {
      std::vector<PivotExchange::Winner> proposals;
      for (int r = 0; r < size_; ++r)
        proposals.push_back({r == winner ? 9.0 : 1.0 + r, 100 - r});
      const PivotExchange::Winner won = exchange(proposals, owner);
      EXPECT_EQ(won.magnitude, 9.0);
      EXPECT_EQ(won.row, 100 - winner);
      expect_rows(winner);
    }
}

TEST_F(PivotExchangeTest, TheLowestRowWinsAmongEquals) {
  exchange_.resize(3);
  for (int lowest = 0; lowest < size_; ++lowest) {
    std::vector<PivotExchange::Winner> proposals;
    for (int r = 0; r < size_; ++r)
      proposals.push_back({2.0, 10 + (r - lowest + size_) % size_});
    const PivotExchange::Winner won = exchange(proposals, size_ - 1);
    EXPECT_EQ(won.row, 10);
    expect_rows(lowest);
  }
}

TEST_F(PivotExchangeTest, AZeroBeatsAProcessWithoutRows) {
  exchange_.resize(1);
  std::vector<PivotExchange::Winner> proposals(size_, {-1.0, 1000});
  proposals[0] = {0.0, 7};
  const PivotExchange::Winner won = exchange(proposals, 0);
  EXPECT_EQ(won.magnitude, 0.0);
  EXPECT_EQ(won.row, 7);
  expect_rows(0);
}

TEST_F(PivotExchangeTest, RowsMayChangeTheirWidthBetweenPanels) {
  for (const std::int64_t width : {1, 700, 3}) {
    exchange_.resize(width);
    std::vector<PivotExchange::Winner> proposals;
    for (int r = 0; r < size_; ++r)
      proposals.push_back({1.0 + r, 3'000'000'000 + r});
    const PivotExchange::Winner won = exchange(proposals, 0);
    EXPECT_EQ(won.row, 3'000'000'000 + size_ - 1);
    EXPECT_EQ(std::ssize(exchange_.candidate()), width);
    expect_rows(size_ - 1);
  }
}

}  // namespace
}  // namespace hpl
