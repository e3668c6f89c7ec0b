#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using JsonOutput = XhplTest;
using nlohmann::json;

TEST_F(JsonOutput, HoldsEveryRunAndSaysPassed) {
  write_dat({.orders = {60, 90}, .grid_rows = {1}, .grid_columns = {2}});
  ASSERT_TRUE(all_passed(mpirun(2, {"--json", "run.json"}), 2));
  const json document = json::parse(read_file("run.json"));
  EXPECT_GE(document.at("schema_version").get<int>(), 1);
  EXPECT_EQ(document.at("exit_code").get<int>(), 0);
  EXPECT_EQ(document.at("tally").at("passed").get<int>(), 2);
  const json& runs = document.at("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1].at("spec").at("order").get<int>(), 90);
  EXPECT_GT(runs[1].at("gflops").get<double>(), 0);
  EXPECT_TRUE(runs[1].at("residual").at("passed").get<bool>());
}

TEST_F(JsonOutput, SaysFailedWhenARunFails) {
  write_dat({.threshold = "1e-30"});
  EXPECT_EQ(mpirun(1, {"--json", "run.json"}).exit_code, 1);
  const json document = json::parse(read_file("run.json"));
  EXPECT_EQ(document.at("exit_code").get<int>(), 1);
  EXPECT_EQ(document.at("tally").at("failed").get<int>(), 1);
  EXPECT_FALSE(document.at("runs").at(0).at("residual").at("passed").get<bool>());
}

TEST_F(JsonOutput, AgreesWithTheText) {
  write_dat({.orders = {100}});
  const Outcome outcome = mpirun(1, {"--json", "run.json"});
  ASSERT_TRUE(all_passed(outcome, 1));
  const Report report = parse_report(outcome.output);
  const json run = json::parse(read_file("run.json")).at("runs").at(0);
  EXPECT_EQ(run.at("spec").at("variant").get<std::string>(), report.runs[0].code);
  // The line holds five digits.
  EXPECT_NEAR(run.at("gflops").get<double>() / report.runs[0].gflops, 1.0, 1e-4);
  EXPECT_NEAR(run.at("residual").at("scaled").get<double>() / report.passed_residuals[0], 1.0,
              1e-7);
}

}  // namespace
}  // namespace hpl::test
