#include <regex>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hpl/run/report/json_report.h"
#include "hpl/run/report/text_report.h"
#include "support/holds.h"
#include "unit/report/fixed_results.h"

namespace hpl {
namespace {

const std::regex kWordsOfResults("WR|WC|PASSED|FAILED|Gflops|T/V|tests|HPL_pdgesv");

std::string text_of(const RunResult& run) {
  std::ostringstream out;
  TextReport(out, {.detail = Detail::Everything}).run(run);
  return test::unfolded(out.str());
}

TEST(StoppedRunText, HoldsAProjectionAndNothingThatLooksLikeAResult) {
  const std::string text = text_of(test::stopped_run());
  EXPECT_TRUE(
      test::holds(text, {"# stopped early: N = 1000, NB = 128, 2 x 3: 500 columns, 87.5 % of "
                         "the operations, in 2.50 s at 250.0 MFLOP/s\n",
                         "# projection, not a result: ", "2.90 s at 230.4 MFLOP/s;"}));
  EXPECT_FALSE(test::holds(text, {"# attainable"}));
  EXPECT_FALSE(std::regex_search(text, kWordsOfResults)) << text;
}

TEST(TrafficText, NamesTheWaysThatWereTaken) {
  RunResult run = test::passing_run();
  EXPECT_FALSE(test::holds(text_of(run), {"# bytes"}));
  run.traffic = {.host_to_device = 1'250'000'000, .mpi = 3'000'000};
  EXPECT_TRUE(test::holds(text_of(run), {"# bytes: 1.25 GB host to device, 0.003 GB by MPI\n"}));
}

TEST(PeakText, GivesTheShareOfRpeakAndItsSource) {
  RunResult run = test::passing_run();
  EXPECT_FALSE(test::holds(text_of(run), {"# Rpeak"}));
  run.peak = PeakRate{2 * run.gflops, "6 x (--rpeak 0.1)"};
  EXPECT_TRUE(
      test::holds(text_of(run), {"# Rpeak: 50.0 % of 535 MFLOP/s: ", ": 6 x (--rpeak 0.1)\n"}));
  run.stopped = EarlyStop{};
  EXPECT_FALSE(test::holds(text_of(run), {"# Rpeak"}));
}

TEST(StoppedRunText, TellsOfAZeroPivotInPlaceOfAProjection) {
  RunResult run = test::stopped_run();
  run.zero_pivot_column = 17;
  const std::string text = text_of(run);
  EXPECT_FALSE(test::holds(text, {"projection"}));
  EXPECT_TRUE(std::regex_search(text, std::regex("Zero pivot: .*column 17 .*FAILED"))) << text;
  EXPECT_EQ(run_verdict(run), Verdict::Failed);
}

TEST(StoppedRunText, IsCountedOnALineOfItsOwn) {
  std::ostringstream out;
  TextReport(out).end(counted({}, run_verdict(test::stopped_run())), 16.0);
  EXPECT_TRUE(test::holds(out.str(), {"              1 tests stopped early without a result,\n",
                                      "              0 tests completed and passed"}));
}

TEST(StoppedRunText, HasNoLineForRepetitions) {
  std::ostringstream out;
  const std::vector<RunResult> runs{test::stopped_run(), test::stopped_run()};
  TextReport(out).repeats(runs);
  EXPECT_EQ(out.str(), "");
}

TEST(RankText, NamesTheSlowestAndTheFastestRank) {
  RunResult run = test::passing_run();
  EXPECT_FALSE(test::holds(text_of(run), {"# ranks:"}));
  run.rank_gflops = {50, 40, 45};
  run.devices = {{.rank = 1, .host = "node02"}};
  EXPECT_TRUE(test::holds(
      text_of(run), {"# ranks: products in the run 40.0 (rank 1 on node02) to 50.0 GFLOP/s, 22.2 % "
                     "apart\n"}));
}

TEST(ChecksumText, IsLeftOutWhereNoneWereCarried) {
  EXPECT_FALSE(test::holds(text_of(test::passing_run()), {"# checksums"}));
}

TEST(ChecksumText, SaysHowOftenSumsThatAgreeWereCompared) {
  RunResult run = test::passing_run();
  run.checksums = ChecksumResult{.interval = 21, .comparisons = 7};
  EXPECT_TRUE(test::holds(text_of(run),
                          {"# checksums: agree, compared 7 times: every 21 steps and after the "
                           "last\n"}));
}

TEST(ChecksumText, DoesNotSayThatSumsAgreeWhichWereNotCompared) {
  RunResult run = test::passing_run();
  run.checksums = ChecksumResult{.interval = 21};
  EXPECT_TRUE(test::holds(text_of(run), {"# checksums: compared 0 times, so they show nothing\n"}));
  EXPECT_FALSE(test::holds(text_of(run), {"agree"}));
}

TEST(ResidualText, IsAboutTheResidualAloneWhereChecksumsDisagree) {
  RunResult run = test::passing_run();
  run.checksums = ChecksumResult{.faults = {{.rank = 1, .last_step = 3, .rows = 1}}};
  EXPECT_TRUE(test::holds(text_of(run), {"   3.21000000e-03 ...... PASSED\n"}));
  EXPECT_FALSE(test::holds(text_of(run), {"FAILED"}));
}

TEST(ResidualText, SaysThatItRestsOnAWrongProduct) {
  RunResult run = test::passing_run();
  EXPECT_FALSE(test::holds(text_of(run), {"# residual"}));
  run.residual->samples = {.rows = 32, .wrong = 9, .own = -0.5, .tolerance = 1e-12};
  EXPECT_TRUE(
      test::holds(text_of(run),
                  {" ...... FAILED\n", "# residual: b - A x is wrong in 9 of 32 sampled rows: "}));
}

TEST(SolutionText, NamesTheHashThatWasToBeRepeated) {
  RunResult run = test::passing_run();
  EXPECT_TRUE(test::holds(text_of(run), {"# solution hash: 0001e3a94f2b7d56\n"}));
  run.differs_from = 17;
  EXPECT_TRUE(test::holds(
      text_of(run), {"# solution hash: 0001e3a94f2b7d56, not 0000000000000011 as in the first "
                     "repetition\n"}));
}

TEST(ChecksumText, NamesTheEarliestStepWithRankHostAndDevice) {
  RunResult run = test::passing_run();
  run.devices = {{.rank = 5, .host = "node02", .backend = "cuda", .device_index = 1}};
  run.checksums =
      ChecksumResult{.interval = 4,
                     .faults = {{.rank = 5,
                                 .first_step = 40,
                                 .last_step = 43,
                                 .rows = 2,
                                 .first_row = 811,
                                 .difference = 3},
                                {.rank = 1, .first_step = 44, .last_step = 47, .rows = 90}}};
  const std::string text = text_of(run);
  EXPECT_TRUE(
      test::holds(text, {"# checksums: disagree after one of the steps 40 to 43 on rank 5 on "
                         "node02, cuda 1: 2 rows, the first is row 811, by up to 3.000e+00 ",
                         "# checksums: disagree later on 1 more rank\n"}));
}

TEST(ChecksumText, SaysThatTheFactorizationWasMadeAgain) {
  RunResult run = test::failing_run();
  run.checksums = ChecksumResult{.interval = 1, .comparisons = 7, .repeated = true};
  std::ostringstream out;
  TextReport(out).checksums(run);
  EXPECT_EQ(test::unfolded(out.str()),
            "# checksums: second factorization: agree, compared 7 times: every step and after "
            "the last\n");
}

TEST(GateText, HasOneLineForEachGateAndNoWordOfResults) {
  std::ostringstream out;
  const std::vector<GateResult> gates{
      {.gate = "--min-gflops", .limit = 100, .worst = 90, .held = false, .reason = "90 in run 1"},
      {.gate = "--max-spread", .limit = 2.5, .worst = 1, .held = true, .reason = "1 % in run 2"}};
  TextReport(out).gates(gates);
  EXPECT_EQ(out.str(),
            "# gate --min-gflops 100: missed, 90 in run 1\n"
            "# gate --max-spread 2.5: held, 1 % in run 2\n");
  EXPECT_FALSE(std::regex_search(out.str(), kWordsOfResults));
}

TEST(VerdictJson, SaysThatARunWasStopped) {
  JobReport job;
  job.runs = {test::stopped_run()};
  const auto run = nlohmann::json::parse(to_json(job))["runs"][0];
  EXPECT_EQ(run["status"], "stopped");
  EXPECT_TRUE(run["gflops"].is_null());
  EXPECT_TRUE(run["passed"].is_null());
  EXPECT_TRUE(run["ceiling_share"].is_null());
  EXPECT_EQ(run["stopped"]["projected_gflops"], 0.2304);
  EXPECT_EQ(run["stopped"]["columns_done"], 500);
}

TEST(VerdictJson, SaysOfARunWhoseChecksumsDisagreeThatItFailedAndWhy) {
  const auto run_of = [](const RunResult& run) {
    JobReport job;
    job.runs = {run};
    return nlohmann::json::parse(to_json(job))["runs"][0];
  };
  RunResult result = test::passing_run();
  const auto right = run_of(result);
  EXPECT_EQ(right["failures"].size(), 0U);
  EXPECT_EQ(right["residual"]["sampled"]["wrong"], 0);
  EXPECT_TRUE(right["solution_differs_from"].is_null());

  result.checksums =
      ChecksumResult{.comparisons = 3, .faults = {{.rank = 1, .last_step = 3, .rows = 1}}};
  result.differs_from = 17;
  const auto wrong = run_of(result);
  EXPECT_EQ(wrong["status"], "failed");
  EXPECT_EQ(wrong["passed"], false);
  EXPECT_EQ(wrong["residual"]["passed"], true);
  EXPECT_EQ(wrong["checksums"]["comparisons"], 3);
  EXPECT_EQ(wrong["solution_differs_from"], "0000000000000011");
  EXPECT_TRUE(wrong["failures"][0].get<std::string>().starts_with("checksums: disagree after "));
}

TEST(VerdictJson, HoldsGatesAndTheSpanOfRepetitions) {
  JobReport job;
  job.runs = {test::passing_run(), test::passing_run(), test::passing_run()};
  job.runs[1].gflops = 1;
  job.runs[2].run_index = 1;
  job.gates = judge({.min_gflops = 2}, job.runs);
  const auto document = nlohmann::json::parse(to_json(job));
  ASSERT_EQ(document["repetitions"].size(), 1u);
  EXPECT_EQ(document["repetitions"][0]["count"], 2);
  EXPECT_EQ(document["repetitions"][0]["maximum_gflops"], 1);
  EXPECT_EQ(document["gates"][0]["gate"], "--min-gflops");
  EXPECT_EQ(document["gates"][0]["held"], false);
}

}  // namespace
}  // namespace hpl
