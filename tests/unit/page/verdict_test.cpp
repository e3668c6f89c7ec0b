#include "page/verdict.h"

#include <vector>

#include <gtest/gtest.h>

#include "sample_job.h"

namespace hpl::page {
namespace {

TEST(Verdict, IsThatOfTheExitCodeAndTheRuns) {
  JobReport job = test::sample_job();
  EXPECT_EQ(verdict_of(test::sample_file(job)), Verdict::Passed);
  job.exit_code = ExitCode::Failed;
  EXPECT_EQ(verdict_of(test::sample_file(job)), Verdict::Failed);
  job.exit_code = ExitCode::Slow;
  EXPECT_EQ(verdict_of(test::sample_file(job)), Verdict::Slow);
  job.exit_code = ExitCode::Broken;
  EXPECT_EQ(verdict_of(test::sample_file(job)), Verdict::Broken);
  job.exit_code = ExitCode::Passed;
  job.runs[0].residual.reset();
  EXPECT_EQ(verdict_of(test::sample_file(job)), Verdict::Unchecked);
  job.exit_code.reset();
  EXPECT_EQ(verdict_of(test::sample_file(job)), Verdict::Unfinished);
  job.error = "rank 3 is gone";
  EXPECT_EQ(verdict_of(test::sample_file(job)), Verdict::Broken);
}

TEST(Verdict, OfSeveralFilesIsTheWorst) {
  JobReport failed = test::sample_job();
  failed.runs = {test::failing_run()};
  failed.exit_code = ExitCode::Failed;
  JobReport unfinished = test::sample_job();
  unfinished.exit_code.reset();
  const std::vector<RunFile> files{test::sample_file(unfinished), test::sample_file(failed),
                                   test::sample_file(test::sample_job())};
  EXPECT_EQ(verdict_of(files), Verdict::Failed);
}

}  // namespace
}  // namespace hpl::page
