#include "hpl/run/report/next_steps.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "unit/report/fixed_results.h"

namespace hpl {
namespace {

JobReport job_with(const std::vector<RunResult>& runs) {
  JobReport job{.runs = runs};
  for (const RunResult& run : runs)
    job.tally = counted(job.tally, run_verdict(run));
  return job;
}

std::vector<std::string> texts_of(const JobReport& job, const NextFacts& facts) {
  std::vector<std::string> texts;
  for (const NextStep& step : next_steps(job, facts))
    texts.push_back(step.what + ": " + step.reason);
  return texts;
}

using Texts = std::vector<std::string>;

/// N = 1000 in 1 % of the memory, where --auto takes 10368.
NextFacts small_run() {
  return {.memory_share = 0.012, .larger_order = 10368, .larger_seconds = 42};
}

RunResult with_slow_products() {
  RunResult run = test::passing_run();
  run.attainable_rates = {{{RateSource::Moment::Before}, 24.7}, {{RateSource::Moment::InRun}, 14}};
  return run;
}

TEST(NextSteps, AreNoneWhereNothingIsToBeImproved) {
  EXPECT_EQ(texts_of(job_with({test::passing_run()}), {}), Texts{});
  EXPECT_EQ(texts_of({}, {}), Texts{});
}

TEST(NextSteps, ProposeALargerOrderWhereTheMemoryIsNearlyEmpty) {
  EXPECT_EQ(texts_of(job_with({test::passing_run()}), small_run()),
            Texts{"xhpl run --auto: N = 10368 fits, about 42 s"});
  NextFacts facts = small_run();
  facts.larger_order = 1050;
  EXPECT_EQ(texts_of(job_with({test::passing_run()}), facts), Texts{}) << "hardly larger";
  facts = small_run();
  facts.memory_share = 0.6;
  EXPECT_EQ(texts_of(job_with({test::passing_run()}), facts), Texts{}) << "the memory is in use";
}

TEST(NextSteps, ProposeADeepCheckOfSlowProducts) {
  EXPECT_EQ(texts_of(job_with({with_slow_products()}), {}),
            Texts{"xhpl check: products: 57 % of their rate alone"});
}

TEST(NextSteps, ProposeASearchForSettingsWherePanelsAreNotHidden) {
  RunResult run = test::passing_run();
  run.account = TimeAccount{};
  run.account->exposed[Phase::PanelFactorization] = 0.5;  // of 2.5 s
  run.account->exposed[Phase::PanelBroadcast] = 0.1;
  EXPECT_EQ(texts_of(job_with({run}), {}),
            Texts{"xhpl tune -o tuned.dat: panels alone: 24 % of the time"});
  run.seconds = 0.9;
  EXPECT_EQ(texts_of(job_with({run}), {}), Texts{}) << "a short run";
}

TEST(NextSteps, ProposeIdleGpus) {
  EXPECT_EQ(texts_of(job_with({test::passing_run()}), {.node_gpus = 8, .node_ranks = 1}),
            Texts{"xhpl launch -n 8 run: 1 of 8 GPUs of this node took part"});
  EXPECT_EQ(texts_of(job_with({test::passing_run()}), {.node_gpus = 8, .node_ranks = 8}), Texts{});
}

/// Copied as they are, they must start the ranks of the job, each with its own cores.
TEST(NextSteps, StartTheRanksOfTheJob) {
  JobReport job = job_with({with_slow_products()});
  job.header.resources = JobResources{.ranks = 6};
  EXPECT_EQ(texts_of(job, small_run()),
            (Texts{"xhpl launch -n 6 run --auto: N = 10368 fits, about 42 s",
                   "xhpl launch -n 6 check: products: 57 % of their rate alone"}));
  job.runs = {test::mixed_run()};
  EXPECT_EQ(next_steps(job, small_run()).front().what, "xhpl launch -n 6 mxp --auto");
}

TEST(NextSteps, AfterAFailureAreAboutThatAlone) {
  NextFacts facts = small_run();
  facts.document = "run.json";
  EXPECT_EQ(texts_of(job_with({test::passing_run(), test::failing_run()}), facts),
            (Texts{"xhpl fleet: finds the device that computes wrongly",
                   "xhpl report run.json -o run.html: charts of these runs on one page"}));
}

TEST(NextSteps, AreThreeAtMostTheMostUsefulFirst) {
  NextFacts facts = small_run();
  facts.node_gpus = 2;
  facts.node_ranks = 1;
  facts.document = "run.json";
  const auto steps = next_steps(job_with({with_slow_products()}), facts);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].what, "xhpl launch -n 2 run");
  EXPECT_EQ(steps[1].what, "xhpl run --auto");
  EXPECT_EQ(steps[2].what, "xhpl check");
}

}  // namespace
}  // namespace hpl
