#include "hpl/report/result/run_result.h"

#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "unit/report/fixed_results.h"

namespace hpl {
namespace {

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
