#include "hpl/report/result/expectation.h"

#include <gtest/gtest.h>

#include "hpl/base/record/record.h"

namespace hpl {
namespace {

/// 2 x 2 ranks on two nodes. Products 20 s, exchanges 1.7 s, all as expected; the model may be off
/// by 1 s.
RunResult run_as_expected() {
  RunResult run;
  run.spec.order = 100000;
  run.spec.grid_rows = run.spec.grid_columns = 2;
  run.seconds = 27.9;
  PhaseTimes phases;
  phases[Phase::Multiply] = 20;
  phases[Phase::RowSwap] = 1.7;
  phases[Phase::PanelBroadcast] = 2;
  run.expected = ExpectedRun{.model = "simulated",
                             .rates = "rates.json",
                             .seconds = 27.9,
                             .gflops = 100,
                             .error_seconds = 1,
                             .rank_phases = std::vector<PhaseTimes>(4, phases)};
  run.rank_working = run.expected->rank_phases;
  for (int rank = 0; rank < 4; ++rank)
    run.devices.push_back({.rank = rank, .host = rank < 2 ? "node01" : "node02"});
  return run;
}

TEST(Expectation, IsSilentWhereNothingIsKnownOfTheMachine) {
  RunResult run = run_as_expected();
  run.expected.reset();
  EXPECT_FALSE(compare_with_expectation(run));
  EXPECT_TRUE(expectation_findings(run).empty());
}

TEST(Expectation, SaysInOneSentenceThatARunIsAsExpected) {
  RunResult run = run_as_expected();
  run.seconds = 28.5;
  EXPECT_EQ(compare_with_expectation(run)->outcome, Outcome::AsExpected);
  EXPECT_EQ(expectation_findings(run),
            std::vector<std::string>{"expected 27.9 s by the simulated model, got 28.5 s: 2.2 % "
                                     "longer, within the model's error of 1 s"});
}

TEST(Expectation, NamesThePhaseTheRankAndItsHostThatAreBeyondTheModel) {
  RunResult run = run_as_expected();
  run.seconds = 31.1;
  run.rank_working[3][Phase::RowSwap] = 5.1;
  const ExpectationComparison comparison = *compare_with_expectation(run);
  EXPECT_EQ(comparison.outcome, Outcome::Slower);
  EXPECT_NEAR(comparison.difference_seconds, 3.2, 1e-9);
  EXPECT_EQ(expectation_findings(run),
            (std::vector<std::string>{
                "expected 27.9 s by the simulated model, got 31.1 s: 11.5 % longer, beyond the "
                "model's error of 1 s",
                "row swap on rank 3 on node02: 5.1 s, 3.0 times the 1.7 s that its links and "
                "copies allow"}));
}

TEST(Expectation, PutsTheWorstPhaseFirstAndCountsItsRanks) {
  RunResult run = run_as_expected();
  run.seconds = 35;
  run.rank_working[1][Phase::RowSwap] = 3.4;
  for (const std::size_t rank : {0U, 2U, 3U})
    run.rank_working[rank][Phase::Multiply] = rank == 2 ? 25 : 22;
  const std::vector<std::string> findings = expectation_findings(run);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(
      findings[1],
      "matrix multiply on 3 of 4 ranks, most on rank 2 on node02: 25 s, 25.0 % more than the 20 s "
      "that matrix products alone allow");
  EXPECT_EQ(findings[2],
            "row swap on rank 1 on node01: 3.4 s, 2.0 times the 1.7 s that its links and copies "
            "allow");
}

TEST(Expectation, SaysThatAllRanksAreBeyond) {
  RunResult run = run_as_expected();
  for (PhaseTimes& times : run.rank_working)
    times[Phase::RowSwap] = 3.4;
  EXPECT_EQ(expectation_findings(run).back(),
            "row swap on all 4 ranks, most on rank 0 on node01: 3.4 s, 2.0 times the 1.7 s that "
            "its links and copies allow");
}

TEST(Expectation, LeavesOutPhasesThatLastAsLongAsProducts) {
  RunResult run = run_as_expected();
  run.seconds = 30;
  for (PhaseTimes& times : run.rank_working)
    times[Phase::Solve] = times[Phase::RowSwap] = 9;
  EXPECT_EQ(expectation_findings(run).size(), 3U);
  run.expected->hidden = {Phase::Solve};
  EXPECT_EQ(expectation_findings(run).size(), 2U);
  run.expected->hidden = {Phase::Solve, Phase::RowSwap};
  EXPECT_EQ(compare_with_expectation(run)->phases.size(), 2U);
  EXPECT_EQ(expectation_findings(run).back(),
            "no phase alone is beyond that error; the furthest is panel broadcast on rank 0 on "
            "node01: 2 s, expected 2 s");
}

TEST(Expectation, AsksOfPhasesThatAreKnownLessWellThatTheyAreFurtherOff) {
  RunResult run = run_as_expected();
  for (PhaseTimes& times : run.expected->rank_phases)
    times[Phase::PanelBroadcast] = 8;
  run.rank_working = run.expected->rank_phases;
  run.rank_working[0][Phase::PanelBroadcast] = 9.9;  // 1.9 s and 24 % beyond
  EXPECT_TRUE(compare_with_expectation(run)->phases.front().ranks_beyond.empty());
  run.rank_working[0][Phase::PanelBroadcast] = 10.1;
  EXPECT_EQ(compare_with_expectation(run)->phases.front().ranks_beyond, std::vector<int>{0});
  run.rank_working[0][Phase::Multiply] = 21.1;  // 5 %, beyond the error of the run
  EXPECT_EQ(compare_with_expectation(run)->phases.back().ranks_beyond, std::vector<int>{0});
}

TEST(Expectation, SaysSoWhereNoPhaseExplainsTheTime) {
  RunResult run = run_as_expected();
  run.seconds = 30;
  run.rank_working[2][Phase::Multiply] = 20.9;
  EXPECT_EQ(expectation_findings(run).back(),
            "no phase alone is beyond that error; the furthest is matrix multiply on rank 2 on "
            "node02: 20.9 s, expected 20 s");
}

TEST(Expectation, SuspectsTheRatesOfARunThatIsFasterThanTheModelAllows) {
  RunResult run = run_as_expected();
  run.seconds = 25;
  EXPECT_EQ(compare_with_expectation(run)->outcome, Outcome::Faster);
  EXPECT_EQ(expectation_findings(run),
            std::vector<std::string>{
                "expected 27.9 s by the simulated model, got 25 s: 10.4 % shorter, beyond the "
                "model's error of 1 s; rates that were measured beside other work are too low, "
                "measure them anew"});
}

TEST(Expectation, ComparesEveryRankWithTheMeanOfAModelThatKnowsNoRanks) {
  RunResult run = run_as_expected();
  run.expected->rank_phases.resize(1);
  run.rank_working[3][Phase::RowSwap] = 5.1;
  EXPECT_NE(expectation_findings(run).back().find("rank 3 on node02: 5.1 s"), std::string::npos);
}

TEST(Expectation, IsNoneOfARunThatDidSomethingElse) {
  RunResult singular = run_as_expected(), with_sums = run_as_expected();
  singular.zero_pivot_column = 17;
  with_sums.spec.checksums = true;
  EXPECT_FALSE(compare_with_expectation(singular));
  EXPECT_FALSE(compare_with_expectation(with_sums));
}

TEST(Expectation, OfPhasesThatTheModelHasNotSaysHowLongTheyTook) {
  RunResult run = run_as_expected();
  run.rank_working[1][Phase::PanelTransfer] = 4;
  EXPECT_EQ(expectation_findings(run).back(),
            "panel transfer on rank 1 on node01: 4 s, more than the 0 s that copies of panels "
            "alone allow");
}

/// 50 TFLOP/s by a data sheet, in an interval of 5 %.
RunResult run_by_sheet(double gflops) {
  RunResult run;
  run.spec.order = 90000;
  run.gflops = gflops;
  run.expected = ExpectedRun{.model = "simulated",
                             .seconds = 9.72,
                             .gflops = 50000,
                             .error_seconds = 0.486,
                             .sheet = "NVIDIA H200"};
  run.seconds = run.expected->seconds * run.expected->gflops / gflops;
  return run;
}

TEST(Expectation, BySheetIsAnIntervalOfTheRate) {
  EXPECT_EQ(expectation_findings(run_by_sheet(51'000)),
            std::vector<std::string>{"expected 47.6 to 52.6 TFLOP/s by the data sheet of NVIDIA "
                                     "H200, got 51.0 TFLOP/s: as expected"});
  EXPECT_EQ(expectation_findings(run_by_sheet(46'100)),
            std::vector<std::string>{"expected 47.6 to 52.6 TFLOP/s by the data sheet of NVIDIA "
                                     "H200, got 46.1 TFLOP/s: slow, 3.2 % below"});
  EXPECT_EQ(expectation_findings(run_by_sheet(54'000)),
            std::vector<std::string>{"expected 47.6 to 52.6 TFLOP/s by the data sheet of NVIDIA "
                                     "H200, got 54.0 TFLOP/s: 2.6 % above"});
}

TEST(Expectation, BySheetKnowsNoPhases) {
  RunResult run = run_by_sheet(40'000);
  run.rank_working.resize(4);
  EXPECT_TRUE(compare_with_expectation(run)->phases.empty());
  EXPECT_EQ(expectation_findings(run).size(), 1U);
}

TEST(Expectation, BySheetIsReadAsItWasWritten) {
  const Record::Json written = to_json_value(run_by_sheet(46'100));
  const Record::Json& expected = written.at("expected");
  EXPECT_EQ(expected.at("sheet"), "NVIDIA H200");
  EXPECT_EQ(expected.at("outcome"), "slower");
  EXPECT_NEAR(expected.at("least_gflops").get<double>(), 47619, 1);
  EXPECT_NEAR(expected.at("most_gflops").get<double>(), 52632, 1);
  const auto read = from_json_value<RunResult>(JsonCursor(written, "run.json"));
  EXPECT_EQ(to_json_value(read), written);
}

}  // namespace
}  // namespace hpl
