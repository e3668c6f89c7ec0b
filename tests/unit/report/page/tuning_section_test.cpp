#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hpl/base/error/error.h"
#include "hpl/report/page/page.h"
#include "hpl/report/page/run_file.h"

namespace hpl::page {
namespace {

nlohmann::json trial(const std::string& stage, const std::string& block_size, double gflops) {
  return {{"stage", stage},
          {"settings", {{"--NB", block_size}, {"--depth", "1"}}},
          {"panel_alone", false},
          {"level", 1},
          {"share", 1.0 / 3},
          {"trial_seconds", 2.5},
          {"gflops", gflops > 0 ? nlohmann::json(gflops) : nlohmann::json(nullptr)},
          {"residual", nullptr},
          {"verdict", "kept"},
          {"reason", "the <best>"}};
}

nlohmann::json document() {
  return {{"schema_version", 1},
          {"kind", "tune"},
          {"program", {{"name", "xhpl"}, {"version", "1.2.3"}}},
          {"machine", "a processor"},
          {"ranks", 2},
          {"order", 20000},
          {"trial_order", 8000},
          {"method", "halving"},
          {"spent_seconds", 580},
          {"ended", true},
          {"out_of_time", false},
          {"exit_code", 0},
          {"best", {{"settings", {{"--NB", "256"}, {"--depth", "1"}}}, {"gflops", 55.5}}},
          {"untuned", {{"settings", {{"--NB", "192"}, {"--depth", "1"}}}, {"gflops", 50}}},
          {"command", "mpirun -np 2 xhpl --dat t.dat"},
          {"settings",
           {{{"flag", "--NB"}, {"values", {"192", "256"}}, {"untuned", "192"}},
            {{"flag", "--depth"}, {"values", {"1"}}, {"untuned", "1"}}}},
          {"trials", {trial("combinations", "192", 50), trial("final", "256", 55.5)}}};
}

std::string page_of(const nlohmann::json& from) {
  const std::vector<RunFile> files{parse_run_file("t.dat.json", from.dump())};
  return build_page(files, {});
}
bool has(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

TEST(TuningSection, NamesTheFlagsThatAllTrialsHave) {
  nlohmann::json made = document();
  EXPECT_FALSE(has(page_of(made), "All trials with"));
  made["fixed"] = {{"BLAS", "OpenBLAS"}, {"--arithmetic", "emulated:14"}};
  EXPECT_TRUE(has(page_of(made), " All trials with --arithmetic emulated:14.</p>"));
}

TEST(TuningSection, ShowsWhatWasFoundAndEveryTrial) {
  const std::string page = page_of(document());
  EXPECT_TRUE(has(page, "<strong>PASSED</strong><span>A search for settings by trials."));
  EXPECT_TRUE(has(page, "<h1>Search for settings</h1>"));
  EXPECT_TRUE(has(page, "<p>halving on 2"));
  EXPECT_TRUE(has(page, "in 9m40s; 55.5"));
  EXPECT_TRUE(has(page, "without tuning.</p>"));
  EXPECT_TRUE(has(page, "<th scope=\"row\">--NB</th><td>256</td><td>192</td>"));
  EXPECT_FALSE(has(page, "<th scope=\"row\">--depth</th>")) << "one value is no choice";
  EXPECT_TRUE(has(page, "<pre>mpirun -np 2 xhpl --dat t.dat</pre>"));
  EXPECT_TRUE(has(page, "<td>as untuned</td>"));
  EXPECT_TRUE(has(page, "<td>--NB 256</td>"));
  EXPECT_TRUE(has(page, "kept: the &lt;best&gt;"));
}

TEST(TuningSection, OfHundredsOfTrialsOfAStageTheLastAreShown) {
  nlohmann::json many = document();
  for (int i = 0; i < 100; ++i)
    many["trials"].push_back(trial("panel", "192", 1 + i));
  const std::string page = page_of(many);
  EXPECT_TRUE(has(page, "70 of 100 trials of the stage panel are left out."));
}

TEST(TuningSection, ASearchThatGoesOnAndAFailedTrialSaySo) {
  nlohmann::json open = document();
  open["ended"] = false;
  open["exit_code"] = nullptr;
  open["command"] = nullptr;
  open["best"]["gflops"] = nullptr;
  open["trials"].push_back(trial("final", "192", 0));
  const std::string page = page_of(open);
  EXPECT_TRUE(has(page, "<strong>NOT FINISHED</strong>"));
  EXPECT_TRUE(has(page, ", and not at its end"));
  EXPECT_TRUE(has(page, "<tr class=\"bad\"><th scope=\"row\">final</th>"));
  EXPECT_FALSE(has(page, "<pre>"));
}

TEST(TuningSection, ADocumentOfAnotherFormIsRefused) {
  nlohmann::json broken = document();
  broken["trials"][0].erase("share");
  EXPECT_THROW(page_of(broken), ConfigError);
}

}  // namespace
}  // namespace hpl::page
