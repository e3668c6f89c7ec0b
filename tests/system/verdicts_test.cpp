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
                    const std::vector<std::string>& arguments) {
    std::vector<std::string> words{HPL_XHPL_PATH, "--no-attainable", "--no-check", "--threads",
                                   "1",           "--json",          "run.json"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return test::run({.words = words,
                      .directory = directory(),
                      .environment = {{"LD_PRELOAD", library}, variable}});
  }
  json document() const { return json::parse(read_file("run.json")); }
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
  const Outcome outcome = mpirun(1, {"--verify", "1000"});
  EXPECT_TRUE(all_passed(outcome, 2));
  EXPECT_FALSE(has(outcome.output, "disagree")) << describe(outcome);
}

TEST_F(Verdicts, AFailedResidualLeadsToAFactorizationWithChecksums) {
  const std::string again = "# checksums: second factorization: agree, compared ";
  write_dat({.orders = {200}, .grid_rows = {1}, .grid_columns = {2}, .threshold = "1e-30"});
  const Outcome outcome = mpirun(2);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.output.find(again), std::string::npos) << describe(outcome);
  const Outcome without = mpirun(2, {"--verify", "never"});
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_EQ(without.output.find("# checksums"), std::string::npos) << describe(without);
}

TEST_F(Verdicts, SumsThatWereNotComparedDoNotAgreeAndAFailedResidualMakesThemAgain) {
  write_dat({.orders = {100}, .block_sizes = {100}, .threshold = "1e-30"});
  const Outcome outcome = mpirun(1, {"--verify", "always"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.output, "# checksums: compared 0 times, so they show nothing\n") &&
              has(outcome.output, "# checksums: second factorization: compared 0 times"))
      << describe(outcome);
  EXPECT_FALSE(has(outcome.output, "agree")) << describe(outcome);
}

TEST_F(Verdicts, SumsThatDisagreeFailARunInEveryReportThoughItsResidualPasses) {
  write_dat({.orders = {300}, .block_sizes = {32}, .threshold = "1e6"});
  const Outcome outcome =
      with_blas(HPL_OTHER_BLAS, flipped(30), {"--verify", "always", "--csv", "runs.csv"});
  EXPECT_EQ(outcome.exit_code, 1) << describe(outcome);
  EXPECT_TRUE(has(outcome.output, "# checksums: disagree after one of the steps 0 to 8 on rank 0"))
      << describe(outcome);
  const Report text = parse_report(outcome.output);
  EXPECT_EQ(text.passed_residuals.size(), 1U) << describe(outcome);
  EXPECT_EQ(text.passed, 0);
  EXPECT_EQ(text.failed, 1);

  const json report = document(), run = report.at("runs").at(0);
  EXPECT_EQ(report.at("exit_code"), 1);
  EXPECT_EQ(report.at("tally").at("failed"), 1);
  EXPECT_EQ(run.at("status"), "failed");
  EXPECT_EQ(run.at("passed"), false);
  EXPECT_EQ(run.at("residual").at("passed"), true);
  EXPECT_EQ(run.at("checksums").at("comparisons"), 1);
  EXPECT_TRUE(has(run.at("failures").at(0), "checksums: disagree after ")) << run;
  EXPECT_TRUE(has(read_file("runs.csv"), ",failed,"));

  ASSERT_EQ(test::run({.words = {HPL_REPORT_PATH, "run.json", "-o", "page.html"},
                       .directory = directory(),
                       .environment = {}})
                .exit_code,
            0);
  const std::string page = read_file("page.html");
  EXPECT_TRUE(has(page, "<strong>FAILED</strong><span>1 run failed.</span>"));
  EXPECT_TRUE(has(page, "<li>checksums: disagree after one of the steps 0 to 8 on rank 0"));
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
  EXPECT_TRUE(has(outcome.output,
                  "# residual: b - A x is wrong in 9 of 9 sampled rows: in row 0 it is 0.000e+00 "
                  "by the device and its BLAS, "))
      << describe(outcome);
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
      EXPECT_EQ(outcome.exit_code, 1) << describe(outcome);
      EXPECT_TRUE(has(outcome.output, "# residual: b - A x is wrong in ")) << describe(outcome);
    }
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
