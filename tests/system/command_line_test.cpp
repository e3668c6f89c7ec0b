#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using CommandLine = XhplTest;

TEST_F(CommandLine, HelpNamesTheFlagsWithoutMpirun) {
  const Outcome outcome = alone({"--help"});
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  for (const char* const flag : {"--dat", "--auto", "--NB", "--json", "--dry-run", "--pipeline",
                                 "--mem-fraction", "--threshold", "--repeat", "--device"}) {
    EXPECT_NE(outcome.output.find(flag), std::string::npos) << flag << " " << describe(outcome);
  }
}

TEST_F(CommandLine, HelpIsPrintedOnceByAJobOfSeveralRanks) {
  const Outcome outcome = mpirun(3, {"--help"});
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  const auto first = outcome.output.find("--dry-run");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(outcome.output.find("--dry-run  ", first + 1), std::string::npos) << describe(outcome);
}

TEST_F(CommandLine, VersionNamesCompilerMpiAndBlas) {
  const Outcome outcome = alone({"--version"});
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  for (const char* const word : {"xhpl", "MPI", "BLAS"}) {
    EXPECT_NE(outcome.output.find(word), std::string::npos) << word << " " << describe(outcome);
  }
}

TEST_F(CommandLine, AnUnknownFlagIsRefused) {
  write_dat({});
  EXPECT_TRUE(refused(mpirun(2, {"--no-such-flag"}), "--no-such-flag"));
}

TEST_F(CommandLine, ABadValueIsRefusedWithItsFlag) {
  write_dat({});
  EXPECT_TRUE(refused(mpirun(2, {"--NB", "0"}), "--NB"));
}

TEST_F(CommandLine, FlagsReplaceFieldsOfTheFile) {
  write_dat({});
  const Outcome outcome =
      mpirun(2, {"-N", "40,50", "--NB", "8", "-P", "1", "-Q", "2", "--threshold", "15"});
  ASSERT_TRUE(all_passed(outcome, 2));
  const RunLine line = parse_report(outcome.output).runs.at(1);
  EXPECT_EQ(line.order, 50);
  EXPECT_EQ(line.block_size, 8);
  EXPECT_EQ(line.grid_columns, 2);
}

TEST_F(CommandLine, FlagsAreEnoughWithoutAFile) {
  EXPECT_TRUE(all_passed(mpirun(2, {"-N", "60", "--NB", "16", "-P", "2", "-Q", "1"}), 1));
}

TEST_F(CommandLine, RepetitionsAreRunsOfTheirOwn) {
  write_dat({.orders = {40}});
  EXPECT_TRUE(all_passed(mpirun(1, {"--repeat", "3"}), 3));
}

TEST_F(CommandLine, ADryRunPrintsThePlanAndRunsNothing) {
  write_dat({.orders = {123456}, .grid_rows = {1}, .grid_columns = {2}});
  const Outcome outcome = mpirun(2, {"--dry-run"});
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_NE(outcome.output.find("123456"), std::string::npos) << describe(outcome);
  const Report report = parse_report(outcome.output);
  EXPECT_TRUE(report.runs.empty());
  EXPECT_TRUE(report.passed_residuals.empty());
}

TEST_F(CommandLine, ADryRunStillRefusesBadInput) {
  write_dat({.block_sizes = {0}});
  EXPECT_TRUE(refused(mpirun(2, {"--dry-run"}), "line 8"));
}

}  // namespace
}  // namespace hpl::test
