#include "hpl/report/result/disturbance.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/report/result/phase_statistics.h"
#include "hpl/report/result/working_times.h"

namespace hpl {
namespace {

RunResult run_on(const char* backend) {
  RunResult run;
  run.devices = {{.host = "node01", .backend = backend}};
  return run;
}

TEST(Disturbance, IsOtherProcessesOnTheCoresThatComputed) {
  RunResult run = run_on("cpu");
  run.others = OtherProcesses{"node01", 0.23};
  EXPECT_EQ(disturbances(run),
            std::vector<std::string>{"other processes took 23 % of the cores of node01"});
  run.others->share = 0.02;
  EXPECT_TRUE(disturbances(run).empty());
}

TEST(Disturbance, OfGpusTakesMoreOfTheCores) {
  RunResult run = run_on("cuda");
  run.others = OtherProcesses{"node01", 0.23};
  EXPECT_TRUE(disturbances(run).empty());
  run.others->share = 0.8;
  EXPECT_EQ(disturbances(run).size(), 1U);
}

TEST(Disturbance, OfAnUnknownLoadIsNone) {
  EXPECT_TRUE(disturbances(std::nullopt, true).empty());
}

TEST(Disturbance, IsProductsThatChangedMeanwhile) {
  RunResult run = run_on("cpu");
  EXPECT_TRUE(disturbances(run).empty());
  run.products_change = -0.4;
  EXPECT_EQ(disturbances(run),
            std::vector<std::string>{"products alone ran 40 % slower after it than before"});
  run.products_change = 0.05;
  EXPECT_TRUE(disturbances(run).empty());
}

std::vector<RunResult> runs_of(const std::vector<double>& rates) {
  std::vector<RunResult> runs(rates.size());
  for (std::size_t i = 0; i < rates.size(); ++i)
    runs[i].gflops = rates[i];
  return runs;
}

TEST(PhaseStatistics, NamesTheFastestAndTheSlowestRankOfEveryPhase) {
  std::vector<PhaseTimes> per_rank(3);
  for (int rank = 0; rank < 3; ++rank) {
    per_rank[rank][Phase::Multiply] = 10.0 + rank;
    per_rank[rank][Phase::RowSwap] = 5.0 - rank;
  }
  const auto spreads = phase_statistics(per_rank);

  const PhaseRange& multiply = spreads[static_cast<std::size_t>(Phase::Multiply)];
  EXPECT_EQ(multiply.minimum, 10.0);
  EXPECT_EQ(multiply.minimum_rank, 0);
  EXPECT_EQ(multiply.maximum, 12.0);
  EXPECT_EQ(multiply.maximum_rank, 2);
  const PhaseRange& swap = spreads[static_cast<std::size_t>(Phase::RowSwap)];
  EXPECT_EQ(swap.minimum, 3.0);
  EXPECT_EQ(swap.minimum_rank, 2);
  EXPECT_EQ(swap.maximum_rank, 0);
}

TEST(PhaseStatistics, NamesTheLowestOfEqualRanks) {
  std::vector<PhaseTimes> per_rank(4);
  per_rank[1][Phase::Solve] = per_rank[2][Phase::Solve] = 7.0;
  const PhaseRange solve = phase_statistics(per_rank)[static_cast<std::size_t>(Phase::Solve)];
  EXPECT_EQ(solve.maximum_rank, 1);
  EXPECT_EQ(solve.minimum_rank, 0);
}

TEST(PhaseStatistics, OfNoRanksIsZero) {
  EXPECT_EQ(phase_statistics({})[0].maximum, 0.0);
}

TEST(RepeatSummary, TakesTheMiddleOfAnOddNumber) {
  const auto runs = runs_of({3.0, 9.0, 4.0});
  const RepeatSummary summary = summarize_repeats(runs);
  EXPECT_EQ(summary.count, 3);
  EXPECT_EQ(summary.minimum, 3.0);
  EXPECT_EQ(summary.median, 4.0);
  EXPECT_EQ(summary.maximum, 9.0);
}

TEST(RepeatSummary, TakesTheMeanOfTheMiddleTwoOfAnEvenNumber) {
  const auto runs = runs_of({1.0, 8.0, 2.0, 4.0});
  EXPECT_EQ(summarize_repeats(runs).median, 3.0);
}

TEST(RepeatSummary, OfNothingCountsNothing) {
  EXPECT_EQ(summarize_repeats({}).count, 0);
}

Span span(Track track, Phase phase, std::int64_t step, double begin, double end) {
  return {.track = track, .phase = phase, .step = step, .begin = begin, .end = end};
}

constexpr double kNever = std::numeric_limits<double>::lowest();

/// Panel 0 is this rank's, panel 1 another's.
std::vector<Span> two_steps() {
  return {span(Track::PanelStream, Phase::PanelFactorization, 0, 0, 2),
          span(Track::PanelWorker, Phase::PanelFactorization, 0, 0, 2.5),  // to set it going
          span(Track::PanelWorker, Phase::PanelBroadcast, 0, 2, 2.25),
          span(Track::PanelWorker, Phase::PanelBroadcast, 0, 2.25, 3),
          span(Track::SwapStream, Phase::RowSwap, 0, 3, 5),
          span(Track::UpdateStream, Phase::Multiply, 0, 5, 9),
          span(Track::PanelWorker, Phase::PanelBroadcast, 1, 4, 4.5),
          span(Track::PanelWorker, Phase::PanelBroadcast, 1, 4.5, 8),
          span(Track::SwapStream, Phase::RowSwap, 1, 9, 10),
          span(Track::UpdateWorker, Phase::BackSubstitution, 2, 10, 12)};
}

TEST(SharedBegins, TellsWhenTheRankBeganEachPieceOfWork) {
  const SharedBegins begins = shared_begins(two_steps());
  EXPECT_EQ(begins.factorizations, (std::vector<double>{0}));
  EXPECT_EQ(begins.row_swaps, (std::vector<double>{3, 9}));
  EXPECT_EQ(begins.broadcasts, (std::vector<double>{2, kNever}));  // that of step 1 is another's
  EXPECT_EQ(begins.back_substitution, 10);
}

TEST(SharedBegins, StandInTheOrderInWhichWorkBeganWhereverItsSpansStand) {
  const std::vector<Span> spans{span(Track::SwapStream, Phase::RowSwap, 1, 7, 8),
                                span(Track::SwapStream, Phase::RowSwap, 0, 1, 2)};
  EXPECT_EQ(shared_begins(spans).row_swaps, (std::vector<double>{1, 7}));
}

TEST(WorkingTimes, AreThoseOfTheSpansWhereNobodyCameLater) {
  const std::vector<Span> spans = two_steps();
  SharedBegins begins = shared_begins(spans);
  begins.broadcasts[1] = 1;  // was under way
  const PhaseTimes times = working_times(spans, begins);
  EXPECT_DOUBLE_EQ(times[Phase::PanelFactorization], 2);
  EXPECT_DOUBLE_EQ(times[Phase::RowSwap], 3);
  EXPECT_DOUBLE_EQ(times[Phase::Multiply], 4);
  EXPECT_DOUBLE_EQ(times[Phase::BackSubstitution], 2);
  EXPECT_DOUBLE_EQ(times[Phase::PanelBroadcast], 4);  // of panel 1 alone, both spans
}

TEST(WorkingTimes, LeaveOutWhatTheRankWaitedForOthersToBegin) {
  SharedBegins begins = shared_begins(two_steps());
  begins.factorizations = {0.5};
  begins.row_swaps = {4.5, 9.25};
  begins.broadcasts = {2, 7};
  begins.back_substitution = 11.5;
  const PhaseTimes times = working_times(two_steps(), begins);
  EXPECT_DOUBLE_EQ(times[Phase::PanelFactorization], 1.5);
  EXPECT_DOUBLE_EQ(times[Phase::RowSwap], 0.5 + 0.75);
  EXPECT_DOUBLE_EQ(times[Phase::PanelBroadcast], 1);
  EXPECT_DOUBLE_EQ(times[Phase::BackSubstitution], 0.5);
  EXPECT_DOUBLE_EQ(times[Phase::Multiply], 4);  // nobody else takes part
}

TEST(WorkingTimes, AreWholeSpansWhereNothingIsKnownOfOthers) {
  const PhaseTimes times = working_times(two_steps(), {});
  EXPECT_DOUBLE_EQ(times[Phase::PanelFactorization], 2);
  EXPECT_DOUBLE_EQ(times[Phase::RowSwap], 3);
  EXPECT_DOUBLE_EQ(times[Phase::BackSubstitution], 2);
}

}  // namespace
}  // namespace hpl
