#include "hpl/tune/report/tune_report.h"

#include <gtest/gtest.h>

#include <string>

#include "hpl/base/error/error.h"
#include "hpl/base/json/json_text.h"
#include "support/holds.h"
#include "support/message_of.h"

namespace hpl {
namespace {

TuneReport report() {
  TuneReport made{.program = {"xhpl", "1.2.3"},
                  .machine = "a processor",
                  .ranks = 2,
                  .nodes = 1,
                  .order = 20000,
                  .trial_order = 8000,
                  .budget_seconds = 120,
                  .run_seconds = 9.87654321,
                  .estimate = "at a guess",
                  .preparation_seconds = 1.5,
                  .fixed = {{"BLAS", "a \"BLAS\""}, {"--threads", "2"}, {"--share-device", ""}},
                  .settings = {{"--NB", {"96", "192"}, 1, TuneGroup::Crossed},
                               {"--chunk", {"512", "4096"}, 1, TuneGroup::Single}},
                  .dat_file = "tuned.dat",
                  .command = "xhpl launch -n 2 run --dat tuned.dat --chunk 512"};
  made.state.best = {0, 0};
  made.state.spent_seconds = 100;
  made.state.trials = {
      {.stage = "combinations",
       .request = {.point = {0, 0}, .level = 1},
       .measured = {.seconds = 8.1, .gflops = 45.5, .cost_seconds = 3, .residual = 0.003},
       .verdict = TuneVerdict::Kept,
       .reason = "the best of its rung"},
      {.stage = "combinations",
       .request = {.point = {1, 1}, .level = 1, .repetition = 1},
       .measured = {.seconds = 9,
                    .gflops = 35,
                    .cost_seconds = 3.25,
                    .residual = 0.004,
                    .disturbances = {"other processes took 23 % of the cores of n1"}},
       .verdict = TuneVerdict::Dropped,
       .reason = "11.1 % slower than the best of its rung"},
      {.stage = "panel",
       .request = {.point = {1, 0}, .panel_alone = true, .level = 2},
       .measured = {.cost_seconds = 0.1, .failure = "no memory\xff"},
       .verdict = TuneVerdict::Dropped,
       .reason = "no memory"}};
  made.earlier = {
      {"--NB 64 --chunk 512", {.level = 3}, {.seconds = 11, .gflops = 30, .cost_seconds = 1}}};
  made.interruptions = {{"--NB 96 --chunk 512", {.level = 0}, "SIGTERM came", true}};
  return made;
}

std::string tune_json(const TuneReport& report) {
  return json_text(to_json_value(report));
}

TEST(TuneReport, IsReadAsItWasWritten) {
  const std::string written = tune_json(report());
  const TuneReport read = parse_tune_report("t.json", written);
  EXPECT_EQ(tune_json(read), written);
  ASSERT_EQ(read.state.trials.size(), 3u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.state.trials[i].request, report().state.trials[i].request);
    EXPECT_EQ(read.state.trials[i].measured, report().state.trials[i].measured);
  }
  EXPECT_EQ(read.state.best, report().state.best);
  EXPECT_EQ(read.earlier[0].measured, report().earlier[0].measured);
  EXPECT_EQ(read.run_seconds, report().run_seconds);
  EXPECT_EQ(read.settings[0].preferred, 1u);
  EXPECT_NE(read.state.trials[2].measured.failure, "");
}

TEST(TuneReport, OfAnEarlierVersionDoesNotTellWhatIsFixed) {
  std::string text = tune_json(report());
  text.replace(text.find("\"fixed\""), 7, "\"other\"");
  EXPECT_TRUE(parse_tune_report("t.json", text).fixed.empty());
}

TEST(TuneReport, RefusesAValueThatNoSettingHas) {
  std::string text = tune_json(report());
  text.replace(text.rfind("\"--NB\": \"192\""), 13, "\"--NB\": \"193\"");
  EXPECT_EQ(test::message_of([&] { parse_tune_report("t.json", text); }),
            "t.json: trials[2].settings.--NB must be one of 96, 192, found \"193\"");
}

TEST(TuneReport, WhatIsFixedIsComparedAsAWhole) {
  const TuneFixed one{{"BLAS", "OpenBLAS"}, {"--threads", "2"}, {"--share-device", ""}};
  EXPECT_FALSE(first_difference(one, one));
  TuneFixed turned{one.rbegin(), one.rend()};
  EXPECT_FALSE(first_difference(one, turned));
  TuneFixed other = one;
  other[1].second = "3";
  const auto value = first_difference(one, other);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->name, "--threads");
  EXPECT_EQ(value->one, "2");
  EXPECT_EQ(value->other, "3");
  TuneFixed more = one;
  more.emplace_back("--arithmetic", "emulated");
  const auto added = first_difference(one, more), missing = first_difference(more, one);
  ASSERT_TRUE(added && missing);
  EXPECT_FALSE(added->one);
  EXPECT_EQ(added->other, "emulated");
  EXPECT_FALSE(missing->other);
}

TEST(TuneReport, TheTextNamesTheFlagsThatAllTrialsHave) {
  EXPECT_TRUE(test::holds(tune_text(report()), {"\nAll trials with --threads 2 --share-device\n"}));
}

TEST(TuneReport, OtherDocumentsAreRefused) {
  for (const std::string text : {R"({"schema_version":1,"kind":"rates"})", "{}", "no JSON"})
    EXPECT_THROW(parse_tune_report("run.json", text), ConfigError) << text;
  std::string newer = tune_json(report());
  newer.replace(newer.find("\"schema_version\": 1"), 19, "\"schema_version\": 2");
  EXPECT_THROW(parse_tune_report("t.json", newer), ConfigError);
}

TEST(TuneReport, TextHasTheSettingsTheGainAndTheCommand) {
  const std::string text = tune_text(report());
  EXPECT_TRUE(test::holds(
      text,
      {"2 ranks of a processor: 3 trials of N = 8000 in 1 min 40 s, 1 failed,\n"
       "  1 made twice and disturbed by others; not finished\n",
       "45.50 GFLOP/s by parts of runs, +30.0 % against the 35.00 GFLOP/s of\n  the defaults\n",
       "The HPL.dat is for N = 20000, about 1 min 57 s; -N 8000 repeats the trials\n",
       "\nxhpl launch -n 2 run --dat tuned.dat --chunk 512\n"}));
}

/// The rate of parts of runs is not that of whole ones.
TEST(TuneReport, OutOfTimeShowsNoGainAgainstDefaultsThatWereNotRunAsLong) {
  TuneReport early = report();
  EXPECT_FALSE(early.keeps_defaults());
  early.state.trials[0].request.level = 0;
  EXPECT_FALSE(early.keeps_defaults()) << "not by lack of time";
  early.state.out_of_time = true;
  EXPECT_TRUE(early.keeps_defaults());
  const std::string text = tune_text(early);
  EXPECT_TRUE(
      test::holds(text, {"45.50 GFLOP/s by whole runs; defaults not run so (--for too short): no\n"
                         "  gain is shown, the HPL.dat keeps the defaults\n"}));
  EXPECT_EQ(text.find(" % against"), std::string::npos);
  early.state.best = early.untuned();
  EXPECT_FALSE(early.keeps_defaults()) << "the best is the default";
}

TEST(TuneReport, WithoutAResultThereIsNoCommand) {
  TuneReport none = report();
  none.state.trials.erase(none.state.trials.begin(), none.state.trials.begin() + 2);
  none.command.clear();
  const std::string text = tune_text(none);
  EXPECT_TRUE(test::holds(text, {"No trial has given a result, and no HPL.dat is written."}));
  EXPECT_EQ(text.find("mpirun"), std::string::npos);
  EXPECT_FALSE(none.best_gflops());
}

}  // namespace
}  // namespace hpl
