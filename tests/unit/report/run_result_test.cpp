#include "hpl/report/run_result.h"

#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "fixed_results.h"

namespace hpl {
namespace {

TEST(BenchmarkFlops, CreditsTwoThirdsOfTheCubeAndThreeHalvesOfTheSquare) {
  EXPECT_DOUBLE_EQ(benchmark_flops(3), 18.0 + 13.5);
  EXPECT_EQ(benchmark_flops(0), 0.0);
}

TEST(BenchmarkFlops, DoesNotOverflowForOrdersOfMillions) {
  EXPECT_NEAR(benchmark_flops(20'000'000) / 5.3333339333333e21, 1.0, 1e-12);
}

TEST(BenchmarkGflops, IsFlopsPerNanosecond) {
  EXPECT_NEAR(benchmark_gflops(1000, 2.5), benchmark_flops(1000) / 2.5e9, 1e-15);
}

TEST(BenchmarkGflops, IsZeroWhenNothingWasSolvedOrTimed) {
  EXPECT_EQ(benchmark_gflops(0, 1.0), 0.0);
  EXPECT_EQ(benchmark_gflops(100, 0.0), 0.0);
  EXPECT_EQ(benchmark_gflops(100, std::numeric_limits<double>::quiet_NaN()), 0.0);
}

TEST(Phase, HasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int phase = 0; phase < kPhaseCount; ++phase)
    names.insert(to_string(static_cast<Phase>(phase)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kPhaseCount));
  EXPECT_FALSE(names.contains(""));
}

TEST(RunStatus, FollowsTheResidualsVerdict) {
  EXPECT_EQ(run_status(test::passing_run()), RunStatus::Passed);
  EXPECT_EQ(run_status(test::failing_run()), RunStatus::Failed);
}

TEST(RunStatus, IsFailedForANaNWhateverTheFlagSays) {
  RunResult run = test::passing_run();
  run.residual->scaled = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(run_status(run), RunStatus::Failed);
}

TEST(RunStatus, IsUncheckedWithoutAResidualUnlessAPivotWasZero) {
  RunResult run = test::passing_run();
  run.residual.reset();
  EXPECT_EQ(run_status(run), RunStatus::Unchecked);
  run.zero_pivot_column = 0;
  EXPECT_EQ(run_status(run), RunStatus::Failed);
}

TEST(Tally, CountsEveryStatusInItsOwnPlace) {
  Tally tally;
  tally = counted(tally, RunStatus::Passed);
  tally = counted(tally, RunStatus::Failed);
  tally = counted(tally, RunStatus::Failed);
  tally = counted(tally, RunStatus::Unchecked);
  EXPECT_EQ(tally.passed, 1);
  EXPECT_EQ(tally.failed, 2);
  EXPECT_EQ(tally.unchecked, 1);
  EXPECT_EQ(tally.skipped, 0);
}

}  // namespace
}  // namespace hpl
