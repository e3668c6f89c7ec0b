#include "hpl/report/result/time_account.h"

#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "unit/report/fixed_results.h"

namespace hpl {
namespace {

double sum_of(const TimeAccount& account) {
  return std::accumulate(account.exposed.seconds.begin(), account.exposed.seconds.end(),
                         account.waiting);
}

double sum_of(const std::vector<AccountEntry>& entries) {
  return std::accumulate(entries.begin(), entries.end(), 0.0,
                         [](double sum, const AccountEntry& entry) { return sum + entry.share; });
}

Span product(double begin, double end) {
  return {.track = Track::UpdateStream,
          .phase = Phase::Multiply,
          .begin = begin,
          .end = end,
          .flops = 1e9};
}

TEST(TimeAccount, CountsAPhaseOnlyWhereNoProductGoesOn) {
  const std::vector<Span> spans{
      product(1, 3),
      {.track = Track::PanelStream, .phase = Phase::PanelFactorization, .begin = 0, .end = 2},
      {.track = Track::PanelStream, .phase = Phase::PanelFactorization, .begin = 3.5, .end = 4}};
  const TimeAccount account = time_account(spans, 5);
  EXPECT_DOUBLE_EQ(account.exposed[Phase::Multiply], 2);
  EXPECT_DOUBLE_EQ(account.exposed[Phase::PanelFactorization], 1.5);
  EXPECT_DOUBLE_EQ(account.waiting, 1.5);
  EXPECT_DOUBLE_EQ(account.product_flops, 1e9);
}

TEST(TimeAccount, AddsUpToTheDurationWhateverOverlaps) {
  const std::vector<Span> spans{
      product(0.5, 2),
      product(1, 2.5),
      product(4.5, 9),  // beyond the end
      {.track = Track::SwapStream, .phase = Phase::RowSwap, .begin = 2, .end = 4},
      {.track = Track::PanelWorker, .phase = Phase::PanelBroadcast, .begin = 3, .end = 4.25},
      // A worker's span of a stream's work is no work.
      {.track = Track::SwapWorker, .phase = Phase::Solve, .begin = 0, .end = 5}};
  const TimeAccount account = time_account(spans, 5);
  EXPECT_DOUBLE_EQ(sum_of(account), 5);
  EXPECT_DOUBLE_EQ(account.exposed[Phase::Multiply], 2.5);
  EXPECT_DOUBLE_EQ(account.exposed[Phase::RowSwap], 1.5);
  EXPECT_DOUBLE_EQ(account.exposed[Phase::PanelBroadcast], 0.25);
  EXPECT_DOUBLE_EQ(time_account({}, 5).waiting, 5);
}

TEST(TimeAccount, OfSeveralRanksIsTheirMean) {
  const std::vector<Span> spans{product(0, 4)};
  const TimeAccount mean = mean_account(std::vector{time_account(spans, 4), time_account({}, 4)});
  EXPECT_DOUBLE_EQ(mean.exposed[Phase::Multiply], 2);
  EXPECT_DOUBLE_EQ(mean.waiting, 2);
  EXPECT_DOUBLE_EQ(mean.product_flops, 1e9) << "a sum";
}

/// 2.5 s: 2 s of products that would take 1 s at the attainable rate, 0.4 s of panels, 0.1 s waits.
RunResult accounted_run() {
  RunResult run = test::passing_run();
  run.account = TimeAccount{.waiting = 0.1, .product_flops = 0.5e9};
  run.account->exposed[Phase::Multiply] = 2;
  run.account->exposed[Phase::PanelFactorization] = 0.4;
  return run;
}

TEST(AccountEntries, BeginWithTheAttainableRateThenTheWorstLoss) {
  const auto entries = account_entries(accounted_run());
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[0].name, "products at the attainable rate");
  EXPECT_DOUBLE_EQ(entries[0].share, 0.4);
  EXPECT_EQ(entries[1].name, "products below that rate");
  EXPECT_DOUBLE_EQ(entries[1].share, 0.4);
  EXPECT_EQ(entries[2].name, "panel factorization, not hidden");
  EXPECT_EQ(entries[3].name, "waiting");
  EXPECT_DOUBLE_EQ(sum_of(entries), 1);
}

TEST(AccountEntries, PutSmallPartsTogether) {
  RunResult run = accounted_run();
  run.account->waiting = 0.096;
  run.account->exposed[Phase::RowSwap] = run.account->exposed[Phase::Solve] = 0.002;
  const auto entries = account_entries(run);
  EXPECT_EQ(entries.back().name, "others");
  EXPECT_NEAR(sum_of(entries), 1, 1e-12);
}

TEST(AccountEntries, KnowNoLossOfProductsWithoutAnAttainableRate) {
  RunResult run = accounted_run();
  run.attainable_gflops.reset();
  EXPECT_EQ(account_entries(run).front().name, "products");
  EXPECT_DOUBLE_EQ(account_entries(run).front().share, 0.8);
  run.account.reset();
  EXPECT_TRUE(account_entries(run).empty());
}

}  // namespace
}  // namespace hpl
