#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using Gates = XhplTest;

/// The lines of the report that begin with `start`.
std::vector<std::string> lines_with(const Outcome& outcome, const std::string& start) {
  std::vector<std::string> found;
  for (const std::string& line : split_lines(outcome.output))
    if (line.starts_with(start)) found.push_back(line);
  return found;
}

/// Success if the job ended with this code and its only gate line says so.
testing::AssertionResult judged(const Outcome& outcome, int exit_code, const std::string& start) {
  if (outcome.exit_code != exit_code)
    return testing::AssertionFailure() << "another exit code; " << describe(outcome);
  const std::vector<std::string> gates = lines_with(outcome, "# gate ");
  if (gates.size() != 1 || !gates[0].starts_with(start))
    return testing::AssertionFailure() << "another gate line; " << describe(outcome);
  const Report report = parse_report(outcome.output);
  if (!report.complete || report.failed != 0)
    return testing::AssertionFailure() << "another report; " << describe(outcome);
  return testing::AssertionSuccess();
}

TEST_F(Gates, DecideTheExitCode) {
  struct Case {
    const char *flags, *held, *missed;
  };
  write_dat({.orders = {300}});
  // A run is more than its products, and this one is over before they get going. Three times are
  // never the same to the last digit.
  for (const auto& [flags, held, missed] :
       {Case{"--no-attainable --min-gflops", "1e-09", "1e+09"},
        {"--min-efficiency", "1e-09", "100"},
        {"--no-attainable --rpeak 1e6 --min-peak-efficiency", "1e-09", "100"},
        {"--no-attainable --repeat 3 --max-spread", "1e+06", "1e-12"}}) {
    const Words words = flags;
    const std::string line = "# gate " + words.back() + " ";
    EXPECT_TRUE(judged(mpirun_measuring(1, words + held), 0, line + held + ": held, "));
    EXPECT_TRUE(judged(mpirun_measuring(1, words + missed), 4, line + missed + ": missed, "));
  }
}

TEST_F(Gates, OfTheSpreadNameTheRanksApart) {
  const Outcome outcome = mpirun(2, "-N 500 --NB 32 -P 1 -Q 2 --max-spread 1e-12");
  ASSERT_TRUE(judged(outcome, 4, "# gate --max-spread 1e-12: missed, "));
  EXPECT_TRUE(shows(outcome, {"between the ranks of run 1"}));
  EXPECT_EQ(lines_with(outcome, "# ranks: products ").size(), 1U);
}

TEST_F(Gates, ThatCannotBeJudgedAreRefused) {
  write_dat({});
  EXPECT_TRUE(refused(mpirun(1, "--min-efficiency 50"),
                      "--min-efficiency and --no-attainable do not go together"));
  EXPECT_TRUE(refused(mpirun(1, "--max-spread 5"), "one repetition on a grid of 1 x 1"));
}

TEST_F(Gates, DoNotHideAFailedResidual) {
  write_dat({.threshold = "1e-30"});
  EXPECT_EQ(mpirun(1, "--min-gflops 1e-9").exit_code, 1);
}

TEST_F(Gates, StandBesideTheSpanOfRepetitions) {
  write_dat({.orders = {100, 200}});
  const Outcome outcome = mpirun(1, "--repeat 3");
  EXPECT_EQ(lines_with(outcome, "# 3 repetitions: least ").size(), 2U) << describe(outcome);
}

}  // namespace
}  // namespace hpl::test
