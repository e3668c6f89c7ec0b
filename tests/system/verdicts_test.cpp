#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using nlohmann::json;

class Verdicts : public XhplTest {
 protected:
  /// One rank with a library in front of the BLAS, which does what `variable` says. Its report is
  /// run.json.
  Outcome with_blas(const char* library, const std::pair<std::string, std::string>& variable,
                    const Words& arguments) {
    return alone("--no-attainable --no-check --threads 1 --json run.json" + arguments,
                 {{"LD_PRELOAD", library}, variable});
  }
  json document() const { return json_file("run.json"); }
};

/// One bit of the eighth product of rank 0.
std::pair<std::string, std::string> flipped(int bit) {
  return {"XHPL_TEST_FLIP", "0:8:77:" + std::to_string(bit)};
}

std::pair<std::string, std::string> gemv(const char* how) {
  return {"XHPL_TEST_GEMV", how};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
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
    const Outcome outcome = mpirun(4, {"--verify", "2", "--pipeline", pipeline});
    EXPECT_TRUE(all_passed(outcome, 1));
    EXPECT_TRUE(has(outcome.output, "# checksums: agree, compared ") &&
                has(outcome.output, " times: every 2 steps and after the last\n"))
        << describe(outcome);
  }
}

TEST_F(Verdicts, ChecksumsOfOneRowAtTheEndAreJudgedByTheSumsOfTheMatrix) {
  // The last sums of these systems are smaller than what rounding has left of the first ones.
  write_dat({.orders = {841, 849}, .block_sizes = {8}});
  const Outcome outcome = mpirun(1, "--verify 1000");
  EXPECT_TRUE(all_passed(outcome, 2));
  EXPECT_FALSE(shows(outcome, {"disagree"}));
}

TEST_F(Verdicts, AFailedResidualLeadsToAFactorizationWithChecksums) {
  const std::string again = "# checksums: second factorization: agree, compared ";
  write_dat({.orders = {200}, .grid_rows = {1}, .grid_columns = {2}, .threshold = "1e-30"});
  const Outcome outcome = mpirun(2);
  EXPECT_TRUE(ended_with(outcome, 1, {again}));
  const Outcome without = mpirun(2, "--verify never");
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_FALSE(shows(without, {"# checksums"}));
}

TEST_F(Verdicts, SumsThatWereNotComparedDoNotAgreeAndAFailedResidualMakesThemAgain) {
  write_dat({.orders = {100}, .block_sizes = {100}, .threshold = "1e-30"});
  const Outcome outcome = mpirun(1, "--verify always");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.output, "# checksums: compared 0 times, so they show nothing\n") &&
              has(outcome.output, "# checksums: second factorization: compared 0 times"))
      << describe(outcome);
  EXPECT_FALSE(shows(outcome, {"agree"}));
}

TEST_F(Verdicts, SumsThatDisagreeFailARunThoughItsResidualPasses) {
  write_dat({.orders = {300}, .block_sizes = {32}, .threshold = "1e6"});
  const Outcome outcome = with_blas(HPL_OTHER_BLAS, flipped(30), {"--verify", "always"});
  EXPECT_TRUE(
      ended_with(outcome, 1, {"# checksums: disagree after one of the steps 0 to 8 on rank 0"}));
  const Report text = parse_report(outcome.output);
  EXPECT_EQ(text.passed_residuals.size(), 1U) << describe(outcome);
  EXPECT_EQ(text.passed, 0);
  EXPECT_EQ(text.failed, 1);

  const json report = document(), run = report.at("runs").at(0);
  EXPECT_EQ(report.at("exit_code"), 1);
  EXPECT_EQ(report.at("tally").at("failed"), 1);
  EXPECT_EQ(run.at("passed"), false);
  EXPECT_EQ(run.at("residual").at("passed"), true);
  EXPECT_EQ(run.at("checksums").at("comparisons"), 1);
}

TEST_F(Verdicts, SumsAreComparedWhereARunIsStoppedEarlyAndFailIt) {
  write_dat({.orders = {300}, .block_sizes = {32}});
  const Outcome outcome =
      with_blas(HPL_OTHER_BLAS, flipped(30), {"--verify", "always", "--stop-after", "0.5"});
  EXPECT_EQ(outcome.exit_code, 1) << describe(outcome);
  const json report = document(), run = report.at("runs").at(0);
  EXPECT_FALSE(run.at("stopped").is_null());
  EXPECT_EQ(run.at("status"), "failed");
  EXPECT_TRUE(has(run.at("failures").at(0), "checksums: disagree after ")) << run;
}

TEST_F(Verdicts, ARepetitionWithAnotherSolutionFailsUnderReproducible) {
  write_dat({.orders = {300}, .block_sizes = {32}});
  const Outcome outcome =
      with_blas(HPL_OTHER_BLAS, flipped(8), {"--reproducible", "--repeat", "2"});
  EXPECT_EQ(outcome.exit_code, 1) << describe(outcome);
  const json runs = document().at("runs");
  EXPECT_EQ(runs.at(0).at("status"), "passed");
  EXPECT_EQ(runs.at(1).at("status"), "failed");
  EXPECT_EQ(runs.at(1).at("residual").at("passed"), true);
  EXPECT_EQ(runs.at(1).at("solution_differs_from"), runs.at(0).at("solution_hash"));
}

TEST_F(Verdicts, AResidualThatTheBlasMakesZeroFails) {
  write_dat({.orders = {300}, .block_sizes = {64}, .grid_rows = {2}, .grid_columns = {2}});
  const Outcome outcome = mpirun_words({"-np", "4", "env", "LD_PRELOAD=" HPL_WRONG_GEMV,
                                        "XHPL_TEST_GEMV=zeros", HPL_XHPL_PATH, "--no-attainable",
                                        "--no-check", "--verify", "never", "--json", "run.json"});
  EXPECT_EQ(outcome.exit_code, 1) << describe(outcome);
  EXPECT_EQ(parse_report(outcome.output).failed_residuals.size(), 1U) << describe(outcome);
  EXPECT_TRUE(shows(outcome, {"# residual: b - A x is wrong in 9 of 9 sampled rows: in row 0 it is "
                              "0.000e+00 by the device and its BLAS, "}));
  const json run = document().at("runs").at(0);
  EXPECT_EQ(run.at("status"), "failed");
  EXPECT_TRUE(has(run.at("failures").at(0), "b - A x is wrong in 9 of 9 sampled rows")) << run;
}

TEST_F(Verdicts, AResidualOfWrongProductsFailsWhereverTheMatrixIs) {
  write_dat({.orders = {300}, .block_sizes = {64}});
  for (const char* const how : {"zeros", "untouched", "added"})
    for (const char* const where : {"device", "host"}) {
      const Outcome outcome =
          with_blas(HPL_WRONG_GEMV, gemv(how), {"--matrix", where, "--verify", "never"});
      EXPECT_TRUE(ended_with(outcome, 1, {"# residual: b - A x is wrong in "}));
    }
}

TEST_F(Verdicts, AStepThatTakesTooLongEndsTheJobAndTellsWhatTheWorkersDo) {
  const Outcome outcome = mpirun(1, "-N 4000 --NB 2000 -P 1 -Q 1 --watchdog 0.001 --pipeline fine");
  EXPECT_TRUE(ended_with(outcome, 3,
                         {"xhpl: no step finished in 0.001 s", "  rank 0 on ", "panel worker "}));
  EXPECT_FALSE(parse_report(outcome.output).complete);
}

using StopAfter = XhplTest;

TEST_F(StopAfter, EndsWellWithAProjectionAndWithoutAResult) {
  const std::regex projection(
      R"(# projection, not a result: .* \d+\.\d+ s at \d[\d.]* [MGT]FLOP/s)");
  for (const char* const pipeline : {"fine", "coarse"})
    for (const char* const depth : {"0", "1"}) {
      const Outcome outcome = mpirun(4, Words("-N 500 --NB 32 -P 2 -Q 2 --stop-after 0.5") +
                                            Words{"--pipeline", pipeline, "--depth", depth});
      EXPECT_TRUE(ended_with(outcome, 0));
      const Report report = parse_report(outcome.output);
      EXPECT_TRUE(report.runs.empty()) << describe(outcome);
      EXPECT_TRUE(report.passed_residuals.empty() && report.failed_residuals.empty());
      EXPECT_EQ(report.passed, 0);
      EXPECT_TRUE(report.complete);
      EXPECT_TRUE(std::regex_search(unfolded(outcome.output), projection)) << describe(outcome);
    }
}

TEST_F(StopAfter, MakesAsManyStepsAsTheFractionTakes) {
  EXPECT_TRUE(
      ended_with(mpirun(2, "-N 500 --NB 32 -P 1 -Q 2 --stop-after 0.6 --json run.json"), 0));
  const auto run = json_file("run.json").at("runs").at(0);
  EXPECT_EQ(run.at("status"), "stopped");
  EXPECT_TRUE(run.at("gflops").is_null());
  // 1 - (1 - 160/500)^3 = 0.686, with a step less 0.588.
  EXPECT_EQ(run.at("stopped").at("columns_done"), 160);
  EXPECT_EQ(run.at("steps").size(), 5U);
  EXPECT_GT(run.at("stopped").at("projected_gflops").get<double>(), 0);
}

TEST_F(StopAfter, LeavesARunOfOneStepWhole) {
  EXPECT_TRUE(all_passed(mpirun(1, "-N 30 --NB 32 -P 1 -Q 1 --stop-after 0.1"), 1));
}

}  // namespace
}  // namespace hpl::test
