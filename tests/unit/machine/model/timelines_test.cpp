// The simulated run as spans, to be laid beside the trace of a real one.
// Products that do not always take as long, and ranks that wait for each other.
#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "hpl/machine/model/prediction.h"
#include "machine/model/rank_clock.h"
#include "made_up_machine.h"

namespace hpl {
namespace {

using test::only_products;
using test::spec_of;

/// Work of every kind, none of which is free.
Rates busy_machine() {
  Rates rates = only_products();
  rates.device_panel->seconds = test::always(2, 0.02);
  rates.device_panel->product_beside = 0.5;
  rates.solve_gflops = test::always(2, 500);
  rates.row_copy_gbytes = test::always(1, 100);
  rates.memory_gbytes = 1000;
  for (LinkRates& link : rates.links)
    link.seconds = test::messages(1e-5, 20);
  return rates;
}

double latest_end(const Timelines& timelines) {
  double latest = 0;
  for (const std::vector<Span>& spans : timelines)
    for (const Span& span : spans)
      latest = std::max(latest, span.end);
  return latest;
}

TEST(Timelines, EndWithThePredictedTimeAndAreAsBusyAsPredicted) {
  const Rates rates = busy_machine();
  for (const PipelineKind pipeline :
       {PipelineKind::Fine, PipelineKind::Coarse, PipelineKind::Serial}) {
    DecidedRun decided = decided_run(spec_of(8192, 512, 2, 2), rates);
    decided.settings.pipeline = pipeline;
    const Prediction prediction = predict(ModelKind::Simulated, decided, rates);
    const Timelines timelines = predicted_timelines(decided, rates);
    ASSERT_EQ(timelines.size(), 4U);
    EXPECT_NEAR(latest_end(timelines), prediction.seconds, 1e-9);
    for (std::size_t rank = 0; rank < timelines.size(); ++rank) {
      PhaseTimes busy;
      for (const Span& span : timelines[rank])
        busy[span.phase] += span.end - span.begin;
      const PhaseTimes& predicted = prediction.rank_busy[rank];
      for (const Phase phase : {Phase::PanelFactorization, Phase::PanelTransfer, Phase::RowSwap,
                                Phase::Solve, Phase::Multiply, Phase::BackSubstitution})
        EXPECT_NEAR(busy[phase], predicted[phase], 1e-9)
            << to_string(pipeline) << ", rank " << rank << ", " << to_string(phase);
    }
  }
}

TEST(Timelines, HaveATrackForEveryWorkerThatDoesOneThingAtATime) {
  const Rates rates = busy_machine();
  const DecidedRun decided = decided_run(spec_of(8192, 512, 2, 2), rates);
  for (const std::vector<Span>& spans : predicted_timelines(decided, rates)) {
    std::map<Track, double> through;
    for (const Span& span : spans) {
      EXPECT_EQ(is_stream(span.track), is_work_of_a_stream(span.phase));
      EXPECT_GE(span.begin, through[span.track] - 1e-12) << to_string(span.track);
      through[span.track] = span.end;
    }
    EXPECT_EQ(through.size(), 6U);  // four streams, and two workers: broadcasts, the solution
  }
}

// If a GPU has all columns of its rows, the worker that fetches their next panel brings it up to
// date.
TEST(Timelines, KnowWhoUpdatesTheColumnsOfTheNextPanel) {
  const Rates rates = busy_machine();
  const auto of_fetcher = [&](const RunSpec& spec) {
    const Timelines timelines = predicted_timelines(decided_run(spec, rates), rates);
    return std::ranges::count_if(timelines.front(), [](const Span& span) {
      return span.track == Track::TransferStream && span.phase == Phase::Multiply;
    });
  };
  EXPECT_EQ(of_fetcher(spec_of(4096, 512, 2, 1)), 7);
  EXPECT_EQ(of_fetcher(spec_of(4096, 512, 1, 2)), 0);
}

TEST(Timelines, MoveForwardWithTheFasterProductsOfTheBeginning) {
  Rates rates = only_products();
  const DecidedRun decided = decided_run(spec_of(16384, 1024), rates);
  const double without = latest_end(predicted_timelines(decided, rates));
  rates.boost = {.gain = 0.1, .seconds = 0.5};
  EXPECT_NEAR(latest_end(predicted_timelines(decided, rates)), without - 0.05, 1e-3);
}

TEST(CoreCalendar, WorkWaitsForWhatHasTheCore) {
  CoreCalendar core;
  EXPECT_EQ(core.reserve(1, 4), 1);
  EXPECT_EQ(core.reserve(3, 2), 5);
  EXPECT_EQ(core.reserve(7, 1), 7);
}

TEST(CoreCalendar, WhatIsAskedForLaterMayComeEarlier) {
  CoreCalendar core;
  EXPECT_EQ(core.reserve(10, 5), 10);
  EXPECT_EQ(core.reserve(2, 3), 2);
  EXPECT_EQ(core.reserve(2, 5), 5) << "just fits";
  EXPECT_EQ(core.reserve(2, 1), 15);
}

TEST(CoreCalendar, APauseThatIsTooShortIsLeft) {
  CoreCalendar core;
  core.reserve(0, 2);
  core.reserve(3, 2);
  EXPECT_EQ(core.reserve(1, 2), 5);
  EXPECT_EQ(core.reserve(1, 1), 2);
}

TEST(CoreCalendar, WhatTakesNoTimeStillWaits) {
  CoreCalendar core;
  core.reserve(0, 2);
  EXPECT_EQ(core.reserve(1, 0), 2);
  EXPECT_EQ(core.reserve(3, 0), 3);
}

constexpr std::int64_t kOrder = 16384, kBlock = 512;
constexpr double kDeviation = 0.003;  // of a second's products

Prediction predicted(int rows, double deviation) {
  Rates rates = only_products();
  rates.second_deviation = deviation;
  DecidedRun decided = decided_run(spec_of(kOrder, kBlock, rows, 1), rates);
  decided.settings.pipeline = PipelineKind::Serial;
  decided.settings.stages.schedule.chunks_of_tail = 1;
  return predict(ModelKind::Simulated, decided, rates);
}

// Every step's exchange waits for the last of eight ranks: 1.42 standard deviations.
TEST(UnevenRanks, WaitForTheSlowestProductBeforeEveryExchange) {
  double expected = 0;
  for (double left = kOrder - kBlock; left > 0; left -= kBlock)
    expected += 1.42 * kDeviation * std::sqrt(2 * left / 8 * left * kBlock / 1e12);
  const double waited = predicted(8, kDeviation).seconds - predicted(8, 0).seconds;
  EXPECT_NEAR(waited, expected, 0.25 * expected);
}

// Nothing is gained or lost over a run: a tenth of what chance alone would leave.
TEST(UnevenRanks, AreAsFastAsEvenOnesWhereNobodyWaits) {
  const double even = predicted(1, 0).seconds;
  const double uneven = predicted(1, kDeviation).seconds;
  EXPECT_NE(uneven, even);
  EXPECT_NEAR(uneven, even, 0.1 * kDeviation * std::sqrt(even));
}

TEST(UnevenRanks, AreThoseOfEveryPrediction) {
  EXPECT_EQ(predicted(2, kDeviation).seconds, predicted(2, kDeviation).seconds);
}

}  // namespace
}  // namespace hpl
