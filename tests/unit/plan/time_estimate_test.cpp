#include "hpl/plan/time_estimate.h"

#include <string>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/machine/host/sizing.h"
#include "hpl/machine/model/search.h"
#include "support/message_of.h"
#include "unit/machine/model/made_up_machine.h"

namespace hpl {
namespace {

using test::only_products;
using test::spec_of;

RunSettings serial() {
  RunSettings settings;
  settings.pipeline = PipelineKind::Serial;
  settings.stages.device_panel = true;
  settings.tile = {2, 2};
  return settings;
}

TEST(TimeEstimate, TakesTheUsualShareOfTheDgemmRateWhereNothingElseIsKnown) {
  const TimeEstimate estimate{.attainable_gflops = 100};
  EXPECT_TRUE(estimate.known());
  EXPECT_FALSE(TimeEstimate().known());
  const RunSpec spec = spec_of(10000, 100);
  EXPECT_DOUBLE_EQ(estimate.seconds(spec, serial()), estimated_seconds(10000, 85));
  EXPECT_EQ(estimate.order_within(spec, serial(), 10), order_for_seconds(85, 10, 100));
  EXPECT_EQ(estimate.basis(), "at 85 % of the attainable rate of 100 GFLOP/s");
}

TEST(TimeEstimate, AsksTheModelWhereRatesAreKnown) {
  Rates rates = only_products();  // 1000 GFLOP/s
  const TimeEstimate estimate{.attainable_gflops = 100, .rates = &rates};
  const RunSpec spec = spec_of(8192, 512);
  const double products_alone = estimate.seconds(spec, serial());
  EXPECT_LT(products_alone, estimated_seconds(8192, 1000));  // the last block is no product
  EXPECT_GT(products_alone, 0.9 * estimated_seconds(8192, 1000));
  // As the job carries it out: what cannot overlap adds up.
  rates.device_panel->seconds = test::always(2, 0.01);
  EXPECT_NEAR(estimate.seconds(spec, serial()), products_alone + 16 * 0.01, 1e-3);
}

TEST(TimeEstimate, FindsTheLargestOrderThatEndsInTime) {
  const Rates rates = only_products();
  const TimeEstimate estimate{.attainable_gflops = 0, .rates = &rates};
  const RunSpec spec = spec_of(0, 512);
  const std::int64_t order = estimate.order_within(spec, serial(), 2);
  EXPECT_EQ(order % 512, 0);
  RunSpec found = spec_of(order, 512);
  EXPECT_NEAR(estimate.seconds(found, serial()), 2, 0.2);
  EXPECT_EQ(estimate.order_within(spec, serial(), 1e-9), 512);  // at least one block
}

TEST(TimeEstimate, RefusesRatesOfAnotherMachine) {
  Rates rates = only_products();
  rates.origin = "measured";
  EXPECT_NO_THROW(require_same_machine("r.json", rates, {ProcessorKind::Gpu, "made up", 9}));
  EXPECT_EQ(test::message_of<ConfigError>([&] {
              require_same_machine("r.json", rates, {ProcessorKind::Gpu, "NVIDIA H200", 1});
            }),
            "--rates r.json: must be of this machine, NVIDIA H200, found those of made up; "
            "xhpl rates writes them");
  EXPECT_THROW(require_same_machine("r.json", rates, {ProcessorKind::Cpu, "made up", 1}),
               ConfigError);
}

TEST(TimeEstimate, RefusesRatesOfRanksWithOtherThreads) {
  Rates rates = only_products();
  rates.origin = "measured";
  rates.kind = ProcessorKind::Cpu;
  rates.threads = 8;
  EXPECT_NO_THROW(require_same_machine("r.json", rates, {ProcessorKind::Cpu, "made up", 8}));
  EXPECT_EQ(test::message_of<ConfigError>([&] {
              require_same_machine("r.json", rates, {ProcessorKind::Cpu, "made up", 2});
            }),
            "--rates r.json: must be of ranks with 2 compute threads as this job has them, "
            "found 8; measure with as many ranks on a node and the same threads");
}

TEST(TimeEstimate, RefusesRatesWithoutTheLinksOfARun) {
  Rates rates = only_products();
  rates.links.clear();
  const std::vector<RunSettings> settings{serial(), serial()};
  EXPECT_NO_THROW(
      require_rates_of_runs("r.json", rates, {spec_of(512, 64), spec_of(0, 64)}, settings));
  EXPECT_EQ(test::message_of<ConfigError>([&] {
              require_rates_of_runs("r.json", rates, {spec_of(512, 64), spec_of(512, 64, 2, 1)},
                                    settings);
            }),
            "--rates r.json: run 2: a 2 x 1 grid with 2 x 2 ranks on a node needs the rate of "
            "a link inside a node, and the rates of made up hold none; measure with the ranks, "
            "the grid and the panels of the runs");
}

TEST(ExpectedRun, HasTheTimeOfTheModelAndThePhasesOfEachRank) {
  const Rates rates = only_products();
  const RunSpec spec = spec_of(4096, 512, 2, 2);
  const ExpectedRun expected = expected_run(spec, serial(), rates, "r.json");
  EXPECT_EQ(expected.model, "simulated");
  EXPECT_EQ(expected.rates, "r.json");
  EXPECT_DOUBLE_EQ(expected.seconds, TimeEstimate({.rates = &rates}).seconds(spec, serial()));
  EXPECT_DOUBLE_EQ(expected.error_seconds, 0.04 * expected.seconds + 0.01);
  ASSERT_EQ(expected.rank_phases.size(), 4U);
  // Blocks 1, 3, 5, 7 of rows and columns are those of the last rank: it has more of the tail.
  EXPECT_GT(expected.rank_phases[3][Phase::Multiply], expected.rank_phases[0][Phase::Multiply]);
  EXPECT_LE(expected.rank_phases[3][Phase::Multiply], expected.seconds);
}

TEST(ExpectedRun, AllowsPanelsOfTheHostTheErrorOfAProcessor) {
  Rates rates = only_products();
  rates.host_panel = rates.device_panel;
  rates.copies = CopyRates{test::kNoLimit, test::kNoLimit, test::kNoLimit, test::kNoLimit};
  RunSettings settings = serial();
  settings.stages.device_panel = false;
  const ExpectedRun expected = expected_run(spec_of(4096, 512), settings, rates, "r.json");
  EXPECT_DOUBLE_EQ(expected.error_seconds, 0.1 * expected.seconds + 0.01);
}

TEST(ExpectedRun, NamesThePhasesThatProductsHide) {
  Rates rates = only_products();
  RunSettings settings = serial();
  const auto hidden = [&](int rows) {
    return expected_run(spec_of(4096, 512, rows), settings, rates, "r.json").hidden;
  };
  EXPECT_EQ(hidden(1), std::vector{Phase::RowSwap});
  EXPECT_TRUE(hidden(2).empty());
  rates.kind = ProcessorKind::Cpu;
  rates.host_panel = rates.device_panel;
  settings.stages.device_panel = false;
  EXPECT_TRUE(hidden(1).empty());
  EXPECT_EQ(hidden(2), std::vector{Phase::RowSwap});
  rates.kind = ProcessorKind::Gpu;
  settings.stages.device_panel = true;
  rates.copies = CopyRates{test::kNoLimit, test::kNoLimit, test::kNoLimit, test::kNoLimit};
  settings.stages.schedule.visits = {.resident_columns = 512, .columns = 512};
  EXPECT_EQ(hidden(1), (std::vector{Phase::RowSwap, Phase::Solve}));
}

TEST(ExpectedTimelines, AreOfAllRanksWhereTheyAreQuickAndSmall) {
  const Rates rates = only_products();
  const RunSettings settings = serial();
  EXPECT_EQ(expected_timelines(spec_of(4096, 512, 2, 3), settings, rates).size(), 6U);
  EXPECT_TRUE(expected_timelines(spec_of(4000000, 128, 64, 64), settings, rates).empty());
  // The simulated model predicts this run, but its time lines would take more than 200 MB.
  const RunSpec long_run = spec_of(400000, 256, 8, 8);
  EXPECT_EQ(affordable_model({long_run, settings}), ModelKind::Simulated);
  EXPECT_TRUE(expected_timelines(long_run, settings, rates).empty());
}

}  // namespace
}  // namespace hpl
