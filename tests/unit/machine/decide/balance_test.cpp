#include "hpl/machine/decide/balance.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hpl/plan/attainable_rate.h"

namespace hpl {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

RunSpec grid_of_160_blocks(int rows, int columns) {
  return {.order = 1600, .block_size = 10, .grid_rows = rows, .grid_columns = columns};
}

TEST(DistributeByRates, GivesAColumnTheRateOfItsSlowestRank) {
  RunSpec run = grid_of_160_blocks(2, 2);
  distribute_by_rates(run, std::vector<double>{50, 54, 52, 51});
  EXPECT_THAT(run.column_weights, ElementsAre(50, 51));
  EXPECT_THAT(run.row_weights, ElementsAre(DoubleEq(1), DoubleEq(1)));
}

TEST(DistributeByRates, GivesARowWhatItsColumnsLeave) {
  RunSpec run = grid_of_160_blocks(2, 2);
  distribute_by_rates(run, std::vector<double>{50, 60, 55, 66});
  EXPECT_THAT(run.column_weights, ElementsAre(50, 60));
  EXPECT_THAT(run.row_weights, ElementsAre(DoubleEq(1), DoubleEq(1.1)));
}

TEST(DistributeByRates, FollowsTheOrderOfTheRanks) {
  RunSpec run = grid_of_160_blocks(2, 3);
  run.rank_order = RankOrder::ColumnMajor;
  distribute_by_rates(run, std::vector<double>{1, 1, 2, 2, 3, 3});
  EXPECT_THAT(run.column_weights, ElementsAre(1, 2, 3));
}

TEST(DescribeDistribution, TellsWhatEveryProcessHasAndWhatItBrings) {
  const std::vector<double> rates{100, 100, 100, 60};
  RunSpec run = grid_of_160_blocks(1, 4);
  distribute_by_rates(run, rates);
  const std::string text = describe_distribution(run, rates);
  EXPECT_THAT(text, HasSubstr(" to the process columns, 160 to the process rows"));
  // Round-robin, the slowest has a quarter of the work and 60 of 360 parts of the rate.
  EXPECT_THAT(text, testing::ContainsRegex("take (49|5[0-3])\\.[0-9] % longer"));
}

TEST(DescribeDistribution, OfManyProcessesNamesTheLeastAndTheMost) {
  const std::vector<double> rates(40, 50.0);
  RunSpec run = grid_of_160_blocks(1, 40);
  distribute_by_rates(run, rates);
  EXPECT_THAT(describe_distribution(run, rates),
              HasSubstr(": 4 to 4 each to the process columns, 160 to"));
}

TEST(DescribeDistribution, FindsNothingToGainOnOneRank) {
  RunSpec run = grid_of_160_blocks(1, 1);
  distribute_evenly(run);
  EXPECT_THAT(describe_distribution(run, std::vector<double>{50}), HasSubstr("take 0.0 % longer"));
}

/// 100 GFLOP/s, its products 110.
RunResult run_of_two_ranks() {
  RunResult run;
  run.gflops = 100;
  run.rank_gflops = {50, 60};
  return run;
}

std::vector<std::string> sources(const RunResult& run) {
  std::vector<std::string> names;
  for (const SeenRate& seen : run.attainable_rates)
    names.push_back(to_string(seen.source));
  return names;
}

constexpr RateSource kBefore{RateSource::Moment::Before}, kAfter{RateSource::Moment::After};
using Names = std::vector<std::string>;

TEST(Attainable, IsTheHigherOfTheRatesBeforeAndAfter) {
  RunResult run = run_of_two_ranks();
  set_attainable(run, {{kBefore, {60, 61}}, {kAfter, {59, 63}}}, true);
  EXPECT_EQ(run.attainable_gflops, 122);
  EXPECT_EQ(run.rank_attainable_gflops, (std::vector<double>{59, 63}));
  EXPECT_EQ(sources(run), (Names{"alone after run 1", "alone before run 1", "in the run"}));
}

TEST(Attainable, IsWhatTheRunsOwnProductsReachedWhereThoseAloneWereDisturbed) {
  RunResult run = run_of_two_ranks();
  set_attainable(run, {{kBefore, {50, 45}}}, true);
  EXPECT_EQ(run.attainable_gflops, 110);
  EXPECT_EQ(sources(run), (Names{"in the run", "alone before run 1"}));
  EXPECT_EQ(run.attainable_rates[1].gflops, 95);
  EXPECT_EQ(run.rank_attainable_gflops, (std::vector<double>{50, 45}));
}

TEST(Attainable, LeavesOutProductsThatTookTurnsOnSharedProcessors) {
  RunResult run = run_of_two_ranks();
  run.rank_gflops = {90, 95};
  set_attainable(run, {{kAfter, {60, 60}}}, false);
  EXPECT_EQ(run.attainable_gflops, 120);
  EXPECT_EQ(sources(run), (Names{"alone after run 1"}));
}

TEST(Attainable, LeavesOutProductsThatARankHadNoneOf) {
  RunResult run = run_of_two_ranks();
  run.rank_gflops = {130, 0};
  set_attainable(run, {{kAfter, {60, 60}}}, true);
  EXPECT_EQ(sources(run), (Names{"alone after run 1"}));
}

TEST(Attainable, IsNeverBelowTheRun) {
  for (const bool own_processors : {false, true}) {
    RunResult run = run_of_two_ranks();
    run.rank_gflops = {49, 48};
    set_attainable(run, {{kBefore, {40, 40}}, {kAfter, {45, 49}}}, own_processors);
    EXPECT_EQ(run.attainable_gflops, run.gflops);
    EXPECT_EQ(sources(run).front(), "the run as a whole");
  }
}

TEST(Attainable, OfAStoppedRunIsThatOfItsProducts) {
  RunResult run = run_of_two_ranks();
  run.gflops = 0;
  set_attainable(run, {{kAfter, {60, 60}}}, true);
  EXPECT_EQ(run.attainable_gflops, 120);
}

TEST(TailProducts, AreThoseOfARunsFirstStep) {
  const RunSpec spec{.order = 20000, .block_size = 192, .grid_rows = 2, .grid_columns = 1};
  RunSettings settings;
  settings.stages.schedule.chunk_columns = 4096;
  const TailProducts products = tail_products(spec, settings);
  EXPECT_EQ(products.shape.rows, largest_local_shape(spec).stored_rows);
  EXPECT_EQ(products.shape.columns, 21 * 192);
  EXPECT_EQ(products.shape.depth, 192);
}

TEST(TailProducts, HaveTheArithmeticOfTheirRun) {
  const RunSpec spec{.order = 500, .block_size = 32, .emulated_moduli = 14};
  EXPECT_EQ(tail_products(spec, {}).emulated_moduli, 14);
}

TEST(TailProducts, AreMadeInOneThreadByTheSerialPipelineAlone) {
  const RunSpec spec{.order = 500, .block_size = 32};
  RunSettings settings;
  settings.stages.schedule.chunk_columns = 4096;
  settings.pipeline = PipelineKind::Serial;
  EXPECT_TRUE(tail_products(spec, settings).in_one_thread);
  for (const PipelineKind kind : {PipelineKind::Coarse, PipelineKind::Fine}) {
    settings.pipeline = kind;
    EXPECT_FALSE(tail_products(spec, settings).in_one_thread);
  }
}

}  // namespace
}  // namespace hpl
