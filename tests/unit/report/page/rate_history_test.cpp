#include "report/page/rate_history.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hpl::page {
namespace {

constexpr std::int64_t kOrder = 1000;
constexpr double kOperations = 2.0 / 3.0 * 1e9;

/// A run at a constant `gflops`, in steps of `columns`.
Run steady_run(double gflops, std::int64_t columns) {
  Run run;
  run.order = kOrder;
  for (std::int64_t done = columns; done <= kOrder; done += columns) {
    const double left = 1 - static_cast<double>(done) / kOrder;
    run.steps.push_back({done, kOperations * (1 - left * left * left) / gflops / 1e9});
  }
  return run;
}

TEST(RateHistory, OfASteadyRunIsFlat) {
  const RateHistory history = rate_history(steady_run(40, 10));
  ASSERT_GT(history.points.size(), 20U);
  for (const RateHistory::Point& point : history.points) {
    EXPECT_NEAR(point.interval, 40, 1e-6);
    EXPECT_NEAR(point.overall, 40, 1e-6);
  }
  EXPECT_NEAR(history.points.front().done, 0.5 * (1 - std::pow(0.99, 3)), 1e-9);
}

TEST(RateHistory, PutsShortStepsTogether) {
  const RateHistory history = rate_history(steady_run(40, 1), 20);
  EXPECT_LE(history.points.size(), 20U);
  EXPECT_GE(history.points.size(), 10U);
  for (const RateHistory::Point& point : history.points)
    EXPECT_NEAR(point.interval, 40, 1e-6);
}

TEST(RateHistory, ShowsAPause) {
  page::Run run = steady_run(40, 100);
  for (std::size_t i = 5; i < run.steps.size(); ++i)
    run.steps[i].seconds += 1;
  const RateHistory history = rate_history(run);
  double least = 40;
  for (const RateHistory::Point& point : history.points)
    least = std::min(least, point.interval);
  EXPECT_LT(least, 1);
}

TEST(RateHistory, PassesOverStepsThatDoNotAdvance) {
  page::Run run = steady_run(40, 100);
  run.steps.insert(run.steps.begin() + 3, run.steps[2]);
  run.steps.insert(run.steps.begin() + 4, {run.steps[2].columns_done + 50, -1});
  run.steps.push_back({5000, 100});
  for (const RateHistory::Point& point : rate_history(run).points) {
    EXPECT_GE(point.interval, 0);
    EXPECT_LE(point.interval, 41);
  }
}

TEST(RateHistory, NeedsTwoSteps) {
  page::Run run = steady_run(40, 1000);
  EXPECT_TRUE(rate_history(run).points.empty());
  run.steps.clear();
  EXPECT_TRUE(rate_history(run).points.empty());
  run.order = 0;
  EXPECT_TRUE(rate_history(run).points.empty());
}

}  // namespace
}  // namespace hpl::page
