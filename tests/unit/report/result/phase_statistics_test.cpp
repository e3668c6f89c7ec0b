#include "hpl/report/result/phase_statistics.h"

#include <vector>

#include <gtest/gtest.h>

namespace hpl {
namespace {

std::vector<RunResult> runs_of(const std::vector<double>& rates) {
  std::vector<RunResult> runs(rates.size());
  for (std::size_t i = 0; i < rates.size(); ++i)
    runs[i].gflops = rates[i];
  return runs;
}

TEST(PhaseStatistics, NamesTheFastestAndTheSlowestRankOfEveryPhase) {
  std::vector<PhaseTimes> per_rank(3);
  for (int rank = 0; rank < 3; ++rank) {
    per_rank[rank][Phase::Multiply] = 10.0 + rank;
    per_rank[rank][Phase::RowSwap] = 5.0 - rank;
  }
  const auto spreads = phase_statistics(per_rank);

  const PhaseRange& multiply = spreads[static_cast<std::size_t>(Phase::Multiply)];
  EXPECT_EQ(multiply.minimum, 10.0);
  EXPECT_EQ(multiply.minimum_rank, 0);
  EXPECT_EQ(multiply.maximum, 12.0);
  EXPECT_EQ(multiply.maximum_rank, 2);
  const PhaseRange& swap = spreads[static_cast<std::size_t>(Phase::RowSwap)];
  EXPECT_EQ(swap.minimum, 3.0);
  EXPECT_EQ(swap.minimum_rank, 2);
  EXPECT_EQ(swap.maximum_rank, 0);
}

TEST(PhaseStatistics, NamesTheLowestOfEqualRanks) {
  std::vector<PhaseTimes> per_rank(4);
  per_rank[1][Phase::Solve] = per_rank[2][Phase::Solve] = 7.0;
  const PhaseRange solve = phase_statistics(per_rank)[static_cast<std::size_t>(Phase::Solve)];
  EXPECT_EQ(solve.maximum_rank, 1);
  EXPECT_EQ(solve.minimum_rank, 0);
}

TEST(PhaseStatistics, OfNoRanksIsZero) {
  EXPECT_EQ(phase_statistics({})[0].maximum, 0.0);
}

TEST(RepeatSummary, TakesTheMiddleOfAnOddNumber) {
  const auto runs = runs_of({3.0, 9.0, 4.0});
  const RepeatSummary summary = summarize_repeats(runs);
  EXPECT_EQ(summary.count, 3);
  EXPECT_EQ(summary.minimum, 3.0);
  EXPECT_EQ(summary.median, 4.0);
  EXPECT_EQ(summary.maximum, 9.0);
}

TEST(RepeatSummary, TakesTheMeanOfTheMiddleTwoOfAnEvenNumber) {
  const auto runs = runs_of({1.0, 8.0, 2.0, 4.0});
  EXPECT_EQ(summarize_repeats(runs).median, 3.0);
}

TEST(RepeatSummary, OfNothingCountsNothing) {
  EXPECT_EQ(summarize_repeats({}).count, 0);
}

}  // namespace
}  // namespace hpl
