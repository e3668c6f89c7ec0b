#include "run/report/summary_text.h"

#include <algorithm>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "unit/report/fixed_results.h"

namespace hpl {
namespace {

JobReport job_of(const std::vector<RunResult>& runs) {
  JobReport job{.header = test::fixed_header(), .plan = {test::fixed_spec()}, .runs = runs};
  for (const RunResult& run : runs)
    job.tally = counted(job.tally, run_verdict(run));
  return job;
}

RunResult unchecked_run() {
  RunResult run = test::passing_run();
  run.residual.reset();
  return run;
}

TEST(SummaryLine, NamesTheBestRunOfThoseThatPassed) {
  RunResult faster = test::passing_run();
  faster.gflops = 11.756;
  faster.attainable_gflops = 24.73;
  faster.spec.order = 8192;
  EXPECT_EQ(summary_line(job_of({faster, test::passing_run()})),
            "# passed: 2 of 2 runs, best 11.8 GFLOP/s (47.5 % of attainable), N = 8192\n");
}

TEST(SummaryLine, NamesTheFirstFailureAndItsReason) {
  EXPECT_EQ(summary_line(job_of({test::passing_run(), test::failing_run()})),
            "# failed: 1 of 2 runs; run 1: the scaled residual 124 is not below 16\n");
  EXPECT_EQ(summary_line(job_of({test::singular_run()})),
            "# failed: 1 of 1 run; run 1: no usable pivot in column 17 (counted from 0)\n");
}

TEST(SummaryLine, NamesAGateThatWasMissed) {
  JobReport job = job_of({test::passing_run()});
  job.gates = {{.gate = "--max-spread", .limit = 5, .held = true},
               {.gate = "--min-gflops", .limit = 100, .held = false}};
  EXPECT_EQ(summary_line(job),
            "# slow: gate --min-gflops 100 missed, best 267 MFLOP/s (53.5 % of attainable)\n");
}

TEST(SummaryLine, TellsRunsWithoutACheckAndStoppedOnesFromThoseThatPassed) {
  EXPECT_EQ(summary_line(job_of({unchecked_run()})),
            "# not checked: 1 of 1 run, best 267 MFLOP/s (53.5 % of attainable), N = 1000\n");
  EXPECT_EQ(summary_line(job_of({test::stopped_run()})),
            "# stopped early: 1 of 1 run, projected 230 MFLOP/s, N = 1000\n");
  EXPECT_EQ(summary_line(job_of({test::passing_run(), unchecked_run(), test::stopped_run()})),
            "# passed: 1 of 3 runs, 1 not checked, 1 stopped early, best 267 MFLOP/s\n");
  EXPECT_EQ(summary_line({}), "# no run was made\n");
}

TEST(SummaryLine, LabelsAnArithmeticThatIsNotPlain) {
  RunResult run = test::passing_run();
  run.spec.emulated_moduli = 14;
  EXPECT_EQ(summary_line(job_of({run})),
            "# passed: 1 of 1 run, best 267 MFLOP/s by emulated FP64 (53.5 % of attainable)\n");
}

TEST(SummaryLine, NamesTheBenchmarkOfAMixedRun) {
  const JobReport job{.runs = {test::mixed_run()}, .tally = {.passed = 1}};
  EXPECT_NE(summary_line(job).find(" of HPL-MxP, N = 1000"), std::string::npos);
}

TEST(SummaryLine, FitsEightyColumnsWithoutWordsOfResults) {
  RunResult wrong = test::passing_run();
  wrong.residual->samples = {.rows = 32, .wrong = 9, .own = -0.5, .tolerance = 1e-12};
  const std::regex words("WR|WC|PASSED|FAILED|Gflops|T/V|tests|HPL_pdgesv");
  std::vector<RunResult> many(123456, test::passing_run());
  for (const std::vector<RunResult>& runs :
       {std::vector<RunResult>{wrong}, std::vector<RunResult>{test::failing_run()}, many}) {
    const std::string line = summary_line(job_of(runs));
    EXPECT_LE(line.size(), 81U) << line;
    EXPECT_EQ(std::ranges::count(line, '\n'), 1) << line;
    EXPECT_FALSE(std::regex_search(line, words)) << line;
  }
}

TEST(NextLines, HaveACommandAndAReasonEach) {
  const std::vector<NextStep> steps{{"xhpl check", "products ran at 57 % of their rate"}};
  EXPECT_EQ(next_lines(steps), "# next: xhpl check  # products ran at 57 % of their rate\n");
  EXPECT_EQ(next_lines({}), "");
}

}  // namespace
}  // namespace hpl
