#include "hpl/lu/panel/pivot_exchange.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace hpl {
namespace {

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
