#include <regex>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using StopAfter = XhplTest;

std::vector<std::string> one_run(const char* rows, const char* columns, const char* fraction) {
  return {"-N", "500", "--NB", "32", "-P", rows, "-Q", columns, "--stop-after", fraction};
}

TEST_F(StopAfter, EndsWellWithAProjectionAndWithoutAResult) {
  const std::regex projection(
      R"(# projection, not a result: .* \d+\.\d+ s at \d[\d.]* [MGT]FLOP/s)");
  for (const char* const pipeline : {"fine", "coarse"})
    for (const char* const depth : {"0", "1"}) {
      std::vector<std::string> arguments = one_run("2", "2", "0.5");
      arguments.insert(arguments.end(), {"--pipeline", pipeline, "--depth", depth});
      const Outcome outcome = mpirun(4, arguments);
      EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
      const Report report = parse_report(outcome.output);
      EXPECT_TRUE(report.runs.empty()) << describe(outcome);
      EXPECT_TRUE(report.passed_residuals.empty() && report.failed_residuals.empty());
      EXPECT_EQ(report.passed, 0);
      EXPECT_TRUE(report.complete);
      EXPECT_TRUE(std::regex_search(outcome.output, projection)) << describe(outcome);
    }
}

TEST_F(StopAfter, MakesAsManyStepsAsTheFractionTakes) {
  std::vector<std::string> arguments = one_run("1", "2", "0.6");
  arguments.insert(arguments.end(), {"--json", "run.json"});
  EXPECT_EQ(mpirun(2, arguments).exit_code, 0);
  const auto run = nlohmann::json::parse(read_file("run.json")).at("runs").at(0);
  EXPECT_EQ(run.at("status"), "stopped");
  EXPECT_TRUE(run.at("gflops").is_null());
  // 1 - (1 - 160/500)^3 = 0.686, with a step less 0.588.
  EXPECT_EQ(run.at("stopped").at("columns_done"), 160);
  EXPECT_EQ(run.at("steps").size(), 5U);
  EXPECT_GT(run.at("stopped").at("projected_gflops").get<double>(), 0);
}

TEST_F(StopAfter, LeavesARunOfOneStepWhole) {
  EXPECT_TRUE(all_passed(
      mpirun(1, {"-N", "30", "--NB", "32", "-P", "1", "-Q", "1", "--stop-after", "0.1"}), 1));
}

}  // namespace
}  // namespace hpl::test
