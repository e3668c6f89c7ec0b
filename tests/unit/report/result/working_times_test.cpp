#include "hpl/report/result/working_times.h"

#include <limits>

#include <gtest/gtest.h>

namespace hpl {
namespace {

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
