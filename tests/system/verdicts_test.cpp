#include <regex>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using Verdicts = XhplTest;

TEST_F(Verdicts, AResidualAboveTheThresholdFailsWithSixNorms) {
  write_dat({.grid_rows = {2}, .grid_columns = {2}, .threshold = "1e-30"});
  const Outcome outcome = mpirun(4);
  EXPECT_EQ(outcome.exit_code, 1) << describe(outcome);
  const Report report = parse_report(outcome.output);
  EXPECT_EQ(report.failed_residuals.size(), 1U) << describe(outcome);
  EXPECT_TRUE(report.passed_residuals.empty());
  EXPECT_EQ(report.failed, 1);
  EXPECT_EQ(report.passed, 0);
  EXPECT_TRUE(report.complete);

  const std::regex norm(R"(^\|\|(Ax-b|A|x|b)\|\|_(oo|1) [ .]+ = +\d+\.\d{6}$)");
  int norms = 0;
  for (const std::string& line : split_lines(outcome.output)) {
    norms += std::regex_match(line, norm) ? 1 : 0;
  }
  EXPECT_EQ(norms, 6) << describe(outcome);
}

TEST_F(Verdicts, OneFailureAmongPassesStillCounts) {
  // An empty system has residual 0 and passes whatever is asked.
  write_dat({.orders = {0, 100}, .threshold = "1e-30"});
  const Outcome outcome = mpirun(1);
  EXPECT_EQ(outcome.exit_code, 1) << describe(outcome);
  const Report report = parse_report(outcome.output);
  EXPECT_EQ(report.runs.size(), 2U) << describe(outcome);
  EXPECT_EQ(report.failed_residuals.size(), 1U) << describe(outcome);
}

TEST_F(Verdicts, AThresholdOfZeroLeavesTheResidualOut) {
  for (const char* const threshold : {"0.0", "-1.0"}) {
    write_dat({.grid_rows = {1}, .grid_columns = {2}, .threshold = threshold});
    const Outcome outcome = mpirun(2);
    EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
    const Report report = parse_report(outcome.output);
    EXPECT_EQ(report.runs.size(), 1U) << describe(outcome);
    EXPECT_EQ(report.unchecked, 1);
    EXPECT_EQ(report.passed, std::nullopt);
    EXPECT_EQ(report.failed, std::nullopt);
    EXPECT_TRUE(report.passed_residuals.empty());
  }
}

TEST_F(Verdicts, TheResidualIsWithinNetlibsRange) {
  write_dat({.orders = {500}, .block_sizes = {32}, .grid_rows = {2}, .grid_columns = {2}});
  const Outcome outcome = mpirun(4);
  ASSERT_TRUE(all_passed(outcome, 1));
  const double residual = parse_report(outcome.output).passed_residuals.at(0);
  EXPECT_GT(residual, 1e-5);
  EXPECT_LT(residual, 1.0);
}

TEST_F(Verdicts, ChecksumsAgreeInAGoodRun) {
  for (const char* const pipeline : {"fine", "coarse"}) {
    write_dat({.orders = {300}, .grid_rows = {2}, .grid_columns = {2}});
    const Outcome outcome =
        mpirun(4, {"--verify-steps", "--verify-interval", "2", "--pipeline", pipeline});
    EXPECT_TRUE(all_passed(outcome, 1));
    EXPECT_NE(outcome.output.find("# checksums: agree, compared every 2 step(s)\n"),
              std::string::npos)
        << describe(outcome);
  }
}

TEST_F(Verdicts, AFailedResidualLeadsToAFactorizationWithChecksums) {
  const std::string again = "# checksums: second factorization: agree, compared every 1";
  write_dat({.orders = {200}, .grid_rows = {1}, .grid_columns = {2}, .threshold = "1e-30"});
  const Outcome outcome = mpirun(2);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.output.find(again), std::string::npos) << describe(outcome);
  const Outcome without = mpirun(2, {"--no-verify-steps"});
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_EQ(without.output.find("# checksums"), std::string::npos) << describe(without);
}

TEST_F(Verdicts, AStepThatTakesTooLongEndsTheJobAndTellsWhatTheWorkersDo) {
  const Outcome outcome = mpirun(1, {"-N", "4000", "--NB", "2000", "-P", "1", "-Q", "1",
                                     "--watchdog", "0.001", "--pipeline", "fine"});
  EXPECT_EQ(outcome.exit_code, 3) << describe(outcome);
  for (const char* const words :
       {"xhpl: no step finished in 0.001 s", "  rank 0 on ", "panel worker "})
    EXPECT_NE(outcome.errors.find(words), std::string::npos) << words << describe(outcome);
  EXPECT_FALSE(parse_report(outcome.output).complete);
}

}  // namespace
}  // namespace hpl::test
