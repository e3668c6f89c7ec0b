#include "hpl/report/result/run_result.h"

#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "hpl/report/result/run_failures.h"
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

TEST(RunVerdict, FollowsTheResidualsVerdict) {
  EXPECT_EQ(run_verdict(test::passing_run()), Verdict::Passed);
  EXPECT_EQ(run_verdict(test::failing_run()), Verdict::Failed);
}

TEST(RunVerdict, IsFailedForANaNWhateverTheFlagSays) {
  RunResult run = test::passing_run();
  run.residual->scaled = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(residual_passed(*run.residual));
  EXPECT_EQ(run_verdict(run), Verdict::Failed);
}

TEST(RunVerdict, IsUncheckedWithoutAResidualUnlessAPivotWasZero) {
  RunResult run = test::passing_run();
  run.residual.reset();
  EXPECT_EQ(run_verdict(run), Verdict::Unchecked);
  run.zero_pivot_column = 0;
  EXPECT_EQ(run_verdict(run), Verdict::Failed);
}

TEST(RunVerdict, IsFailedWhereChecksumsDisagreeWhateverTheResidualSays) {
  RunResult run = test::passing_run();
  run.checksums = ChecksumResult{.interval = 4, .comparisons = 3};
  EXPECT_EQ(run_verdict(run), Verdict::Passed);
  run.checksums->faults = {{.rank = 1, .last_step = 3, .rows = 2}};
  EXPECT_EQ(run_verdict(run), Verdict::Failed);
  run.residual.reset();
  EXPECT_EQ(run_verdict(run), Verdict::Failed) << "without a check";
  run.stopped = EarlyStop{};
  EXPECT_EQ(run_verdict(run), Verdict::Failed) << "stopped early";
}

TEST(RunVerdict, IsFailedWhereASampledRowIsWrongWhateverTheFlagSays) {
  RunResult run = test::passing_run();
  run.residual->samples = {.rows = 32, .wrong = 1, .own = 0.5};
  EXPECT_FALSE(residual_passed(*run.residual));
  EXPECT_EQ(run_verdict(run), Verdict::Failed);
}

TEST(RunVerdict, IsFailedWhereASolutionWasNotRepeated) {
  RunResult run = test::passing_run();
  run.differs_from = 17;
  EXPECT_EQ(run_verdict(run), Verdict::Failed);
}

TEST(EfficiencyOfPeak, IsNoneOfARunThatWasStopped) {
  RunResult run = test::passing_run();
  run.peak = PeakRate{.gflops = 2 * run.gflops, .source = "given"};
  EXPECT_EQ(efficiency_of_peak(run), 0.5);
  run.stopped = EarlyStop{};
  EXPECT_EQ(efficiency_of_peak(run), std::nullopt);
}

TEST(EfficiencyOfPeak, IsNoneOfHplMxpSinceThePeakIsOfFp64) {
  RunResult run = test::mixed_run();
  run.peak = PeakRate{.gflops = 1, .source = ""};
  EXPECT_FALSE(efficiency_of_peak(run));
}

TEST(RunFailures, NameARefinementThatIsNoValidOne) {
  RunResult run = test::mixed_run();
  EXPECT_EQ(run_verdict(run), Verdict::Passed);
  run.refinement->converged = false;
  EXPECT_EQ(run_failures(run),
            (std::vector<std::string>{"the refinement did not converge: the scaled residual is "
                                      "0.00321 after 2 iterations"}));
  run.refinement->iterations = 51;
  run.refinement->converged = true;
  EXPECT_EQ(
      run_failures(run),
      (std::vector<std::string>{"the refinement took 51 iterations, a valid run at most 50"}));
  run.zero_pivot_column = 3;
  EXPECT_EQ(run_failures(run).size(), 1U) << "without factors there is nothing to refine";
}

TEST(RunFailures, NameEverythingThatIsWrong) {
  EXPECT_TRUE(run_failures(test::passing_run()).empty());
  RunResult run = test::failing_run();
  run.checksums = ChecksumResult{.faults = {{.rank = 5, .first_step = 3, .last_step = 3, .rows = 2},
                                            {.rank = 1, .first_step = 4, .last_step = 7}}};
  run.differs_from = 17;
  const std::vector<std::string> failures = run_failures(run);
  ASSERT_EQ(failures.size(), 4U);
  EXPECT_TRUE(failures[0].starts_with("checksums: disagree after step 3 on rank 5: 2 rows"));
  EXPECT_EQ(failures[1], "checksums: disagree later on 1 more rank");
  EXPECT_EQ(failures[2], "the scaled residual 124 is not below 16");
  EXPECT_EQ(failures[3],
            "the solution has other bits than that of the first repetition: hash 0001e3a94f2b7d56, "
            "not 0000000000000011");
}

TEST(RunFailures, GiveBothValuesOfAWrongRowInPlaceOfTheResidual) {
  RunResult run = test::failing_run();
  run.residual->samples = {
      .rows = 32, .wrong = 9, .first_row = 7, .residual = 0, .own = -0.5, .tolerance = 1e-12};
  EXPECT_EQ(run_failures(run),
            std::vector<std::string>{
                "b - A x is wrong in 9 of 32 sampled rows: in row 7 it is 0.000e+00 by the device "
                "and its BLAS, -5.000e-01 by the check's own sum, where rounding stays below "
                "1.000e-12"});
}

TEST(Tally, CountsEveryStatusInItsOwnPlace) {
  Tally tally;
  tally = counted(tally, Verdict::Passed);
  tally = counted(tally, Verdict::Failed);
  tally = counted(tally, Verdict::Failed);
  tally = counted(tally, Verdict::Unchecked);
  EXPECT_EQ(tally.passed, 1);
  EXPECT_EQ(tally.failed, 2);
  EXPECT_EQ(tally.unchecked, 1);
  EXPECT_EQ(tally.skipped, 0);
}

}  // namespace
}  // namespace hpl
