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

TEST_F(Gates, OfTheRateDecideTheExitCode) {
  write_dat({});
  EXPECT_TRUE(judged(mpirun(1, {"--min-gflops", "1e-9"}), 0, "# gate --min-gflops 1e-09: held, "));
  EXPECT_TRUE(judged(mpirun(1, {"--min-gflops", "1e9"}), 4, "# gate --min-gflops 1e+09: missed, "));
}

TEST_F(Gates, OfTheEfficiencyDecideTheExitCode) {
  write_dat({});
  EXPECT_TRUE(judged(mpirun_measuring(1, {"--min-efficiency", "1e-9"}), 0,
                     "# gate --min-efficiency 1e-09: held, "));
  // A run is more than its products, and this one is over before they get going.
  EXPECT_TRUE(judged(mpirun_measuring(1, {"--min-efficiency", "100"}), 4,
                     "# gate --min-efficiency 100: missed, "));
}

TEST_F(Gates, OfRpeakDecideTheExitCode) {
  write_dat({});
  EXPECT_TRUE(judged(mpirun(1, {"--rpeak", "1e6", "--min-peak-efficiency", "1e-9"}), 0,
                     "# gate --min-peak-efficiency 1e-09: held, "));
  EXPECT_TRUE(judged(mpirun(1, {"--rpeak", "1e6", "--min-peak-efficiency", "100"}), 4,
                     "# gate --min-peak-efficiency 100: missed, "));
}

TEST_F(Gates, OfTheSpreadDecideTheExitCode) {
  write_dat({.orders = {300}});
  EXPECT_TRUE(judged(mpirun(1, {"--repeat", "3", "--max-spread", "1e6"}), 0,
                     "# gate --max-spread 1e+06: held, "));
  // Three times are never the same to the last digit.
  EXPECT_TRUE(judged(mpirun(1, {"--repeat", "3", "--max-spread", "1e-12"}), 4,
                     "# gate --max-spread 1e-12: missed, "));
}

TEST_F(Gates, OfTheSpreadNameTheRanksApart) {
  const Outcome outcome =
      mpirun(2, {"-N", "500", "--NB", "32", "-P", "1", "-Q", "2", "--max-spread", "1e-12"});
  ASSERT_TRUE(judged(outcome, 4, "# gate --max-spread 1e-12: missed, "));
  EXPECT_NE(outcome.output.find("between the ranks of run 1"), std::string::npos);
  EXPECT_EQ(lines_with(outcome, "# ranks: products ").size(), 1U);
}

TEST_F(Gates, ThatCannotBeJudgedAreRefused) {
  write_dat({});
  EXPECT_TRUE(refused(mpirun(1, {"--min-efficiency", "50"}),
                      "--min-efficiency and --no-attainable do not go together"));
  EXPECT_TRUE(refused(mpirun(1, {"--max-spread", "5"}), "one repetition on a grid of 1 x 1"));
}

TEST_F(Gates, StandInTheJson) {
  write_dat({});
  EXPECT_EQ(mpirun(1, {"--min-gflops", "1e9", "--json", "run.json"}).exit_code, 4);
  const auto document = nlohmann::json::parse(read_file("run.json"));
  EXPECT_EQ(document.at("exit_code"), 4);
  EXPECT_EQ(document.at("tally").at("passed"), 1);
  EXPECT_EQ(document.at("gates").at(0).at("held"), false);
}

TEST_F(Gates, DoNotHideAFailedResidual) {
  write_dat({.threshold = "1e-30"});
  EXPECT_EQ(mpirun(1, {"--min-gflops", "1e-9"}).exit_code, 1);
}

TEST_F(Gates, StandBesideTheSpanOfRepetitions) {
  write_dat({.orders = {100, 200}});
  const Outcome outcome = mpirun(1, {"--repeat", "3"});
  EXPECT_EQ(lines_with(outcome, "# 3 repetitions: least ").size(), 2U) << describe(outcome);
}

}  // namespace
}  // namespace hpl::test
