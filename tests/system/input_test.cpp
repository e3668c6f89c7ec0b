#include <algorithm>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

/// HPL.dat as jobs read it. tests/unit/input/hpl_dat has what each line may be.
class Input : public XhplTest {
 protected:
  void write_with(int line, const std::string& text) {
    std::vector<std::string> lines = lines_of({.orders = {20, 30}});
    lines.at(static_cast<std::size_t>(line) - 1) = text;
    write_file("HPL.dat", join_lines(lines));
  }
};

/// The lines of standard error that the program wrote, not the launcher.
std::vector<std::string> own_lines(const Outcome& outcome) {
  std::vector<std::string> own;
  for (const std::string& line : split_lines(outcome.errors))
    if (line.starts_with("xhpl: ")) own.push_back(line);
  return own;
}

TEST_F(Input, ABadLineIsRefusedWithPlaceFieldAndTextBeforeAnyRun) {
  write_with(8, "0 NBs");
  // Without mpirun, which takes two seconds to get over a job that did not end with 0.
  const Outcome outcome = alone({});
  EXPECT_EQ(outcome.exit_code, 2) << describe(outcome);
  EXPECT_EQ(outcome.output, "") << describe(outcome);
  EXPECT_EQ(own_lines(outcome),
            std::vector<std::string>{"xhpl: HPL.dat line 8: NB must be at least 1, found \"0\""})
      << describe(outcome);
}

TEST_F(Input, ANumberForWhichNetlibHasADefaultRunsWithItAndARemark) {
  write_with(31, "0");
  const Outcome outcome = mpirun(2);
  ASSERT_TRUE(all_passed(outcome, 2));
  const std::vector<std::string> report = split_lines(outcome.output);
  for (const char* const line :
       {"# remark: HPL.dat line 31: alignment should be at least 1, found \"0\": 4 is used",
        "ALIGN  : 4 double precision words"})
    EXPECT_EQ(std::ranges::count(report, line), 1) << line << describe(outcome);
}

TEST_F(Input, AMistakeIsToldOnceByAJobOfSeveralRanks) {
  write_dat({.block_sizes = {0}});
  const Outcome outcome = mpirun(3);
  EXPECT_EQ(outcome.exit_code, 2) << describe(outcome);
  EXPECT_EQ(own_lines(outcome).size(), 1U) << describe(outcome);
}

TEST_F(Input, AMissingFileIsExplained) {
  const Outcome outcome = mpirun(2);
  EXPECT_TRUE(ended_with(outcome, 2, {"HPL.dat", "--auto", "-N"}));
  EXPECT_EQ(own_lines(outcome).size(), 1U) << describe(outcome);
}

TEST_F(Input, AnotherFileIsReadOnRequest) {
  write_file("mine.dat", join_lines(lines_of({.orders = {23}})));
  const Outcome outcome = mpirun(1, "--dat mine.dat");
  ASSERT_TRUE(all_passed(outcome, 1));
  EXPECT_EQ(parse_report(outcome.output).runs.at(0).order, 23);
  EXPECT_TRUE(refused(mpirun(2, "--dat no-such.dat"), "no-such\\.dat"));
}

TEST_F(Input, GridsLargerThanTheJobAreRefusedWithBothNumbers) {
  write_dat({.grid_rows = {2, 1}, .grid_columns = {2, 8}});
  EXPECT_TRUE(refused(mpirun(4),
                      "HPL\\.dat lines 11 and 12: P x Q must be at most the number of ranks, 4, "
                      "found 1 x 8 = 8; start mpirun with more ranks, or give smaller grids "
                      "\\(-P, -Q\\) or --grid auto"));
}

TEST_F(Input, AMatrixThatDoesNotFitIsRefusedWithTheOrderThatDoes) {
  write_dat({.orders = {50, 1'000'000'000}});
  EXPECT_TRUE(refused(mpirun(1), "largest N that fits"));
}

}  // namespace
}  // namespace hpl::test
