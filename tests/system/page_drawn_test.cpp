// The sight of pages once their script has drawn them.
#include <algorithm>
#include <iterator>
#include <random>

#include "browser.h"
#include "hpl/base/error/error.h"
#include "hpl/fleet/judge/fleet_json.h"
#include "hpl/page/page.h"
#include "hpl/predict/prediction_report.h"
#include "unit/check/findings/made_up_cluster.h"
#include "unit/compare/sample_sides.h"
#include "unit/fleet/sample_fleet.h"
#include "unit/page/sample_documents.h"
#include "unit/page/sample_job.h"
#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using nlohmann::json;
using page::RunFile;

bool has(const json& texts, const std::string& part) {
  if (texts.is_string()) return texts.get<std::string>().find(part) != std::string::npos;
  return std::ranges::any_of(texts, [&](const json& text) { return has(text, part); });
}

std::size_t count(const json& text, const std::string& part) {
  const auto whole = text.get<std::string>();
  std::size_t found = 0;
  for (auto at = whole.find(part); at != whole.npos; at = whole.find(part, at + 1))
    ++found;
  return found;
}

void expect_all(const json& text, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts)
    EXPECT_TRUE(has(text, part)) << part << "\nis not in\n" << text;
}

class DrawnPage : public XhplTest {
 protected:
  void SetUp() override {
    if (!browser_.is_there()) GTEST_SKIP() << "no Chromium on this machine (package chromium)";
  }

  /// The sight of the page of each list of files. Nothing went wrong in any.
  std::vector<json> seen(const std::vector<std::vector<RunFile>>& pages,
                         const page::PageOptions& options = {}) {
    std::vector<std::string> built;
    for (const std::vector<RunFile>& files : pages)
      built.push_back(page::build_page(files, options));
    std::vector<json> all = browser_.look_at(built);
    EXPECT_EQ(all.size(), pages.size());
    all.resize(pages.size());
    for (const json& one : all) {
      EXPECT_EQ(one.at("faults"), json::array()) << one;
      EXPECT_EQ(one.at("fetched"), json::array()) << one;
    }
    return all;
  }

  Browser browser_{directory()};
};

TEST_F(DrawnPage, IsDrawnByModulesThatDoWhatTheySay) {
  browser_.write("modules.html",
                 probed("<head></head><body></body>",
                        "</script><script type=\"module\" src=\"file://" HPL_TESTS_DIR
                        "/system/page_modules.js\">"));
  EXPECT_EQ(browser_.open("modules.html"), json::array());
}

TEST_F(DrawnPage, OfARunShowsRatesPhasesRanksAndDevices) {
  JobReport few = sample_job(), many = sample_job(), bare = sample_job();
  few.runs = {cluster_run(6)};
  few.runs[0].transports[0] = {.ranks = 4, .name = "nccl", .bandwidth = 351.2};
  many.runs = {cluster_run(1000)};
  bare.runs[0].steps.clear();
  bare.runs[0].phases = {};
  const auto pages = seen({{sample_file(few)}, {sample_file(many)}, {sample_file(bare)}});
  const json& six = pages[0];
  expect_all(six["text"], {"Rate over time", "Where the time went", "Seconds of every rank",
                           "Devices", "Temperature", "rank 5 on node1\t",
                           "Messages: nccl along the process row at 351 GB/s each way."});
  EXPECT_EQ(count(six["text"], "\t0.250\t"), 6U) << "a row for each rank";
  EXPECT_EQ(six["dots"], 2 * 6) << "two phases took time";
  EXPECT_TRUE(has(six["coloured"], "2.400")) << "the slow rank stands out: " << six;
  EXPECT_TRUE(has(six["marked"], "node1, cuda 1")) << "hot and slow";
  EXPECT_FALSE(has(six["marked"], "node0, cuda 0"));
  EXPECT_TRUE(has(six["told"], "median of the ranks; from 1.50 s (rank 0 on node0)")) << six;
  const json& thousand = pages[1];
  expect_all(thousand["text"],
             {"The 16 of 1000 ranks furthest from the median", "rank 999 on node249"});
  EXPECT_EQ(count(thousand["text"], "\t0.250\t"), 16U);
  EXPECT_EQ(thousand["dots"], 0);
  EXPECT_EQ(thousand["bands"], 3) << "clock, power and temperature";
  expect_all(pages[2]["text"], {"The file holds neither steps nor phases of this run."});
}

TEST_F(DrawnPage, OfManyRunsDrawsSoManyAsItIsTold) {
  JobReport job = sample_job();
  for (int i = 1; i < 50; ++i) {
    job.runs.push_back(passing_run());
    job.runs.back().run_index = i;
  }
  const json all = seen({{sample_file(job)}})[0];
  expect_all(all["text"], {"Charts of 6 of 50 runs are shown.", "Rate, the 40 fastest of 50",
                           "Rate while it ran"});
  EXPECT_EQ(count(all["text"], "Where the time went"), 6U);
  expect_all(seen({{sample_file(job)}}, {.runs_in_full = 2})[0]["text"],
             {"Charts of 2 of 50 runs are shown."});
}

TEST_F(DrawnPage, OfARunWithAnExpectationShowsItByPhase) {
  JobReport job = sample_job();
  job.runs = {slower_run()};
  const json page = seen({{sample_file(job)}})[0];
  expect_all(page["text"], {"Expected and got", "row swap\t0.2500\t0.7500\t3"});
  EXPECT_TRUE(has(page["marked"], "row swap")) << page;
}

TEST_F(DrawnPage, OfARunWithPowerShowsTraceAveragesPhasesAndLevel) {
  JobReport job = sample_job();
  job.runs[0].power = metered_power();
  expect_all(seen({{sample_file(job)}})[0]["text"],
             {"Core phase 2026-01-03T05:00:00.000+01:00", "Power over the core phase",
              "Energy by phase", "Component power: NVML of 2 devices", "Meter: pdu.sh\t600.0\t",
              "fraction of the machine", "Power meter: 3 lines were no number"});
}

TEST_F(DrawnPage, OfAComparisonShowsChangesRatesAndTheLineOfAHistory) {
  FleetReport fleet = sample_fleet(3, 2);
  std::vector<Snapshot> sides;
  for (int month = 0; month < 3; ++month) {
    set_rates(fleet.members[5], fleet.spec,
              {100.0 - 5 * month, 100.0 - 5 * month, 99.9 - 5 * month});
    fleet.hosts[1].facts[1].second = month == 0 ? "6.1.0" : "6.1.5";
    sides.push_back(side_of(fleet, "month " + std::to_string(month), month * kMonth));
  }
  const auto page = [](const Comparison& comparison) {
    return page::parse_run_file("comparison.json", json_text(to_json_value(comparison)));
  };
  const std::vector<Snapshot> two(sides.begin(), sides.begin() + 2);
  Comparison dates = compare_sides(two, {});
  dates.history = true;
  std::vector<RankRecord> june = sound_cluster(3, 2);
  figure(june, Figure::NodeBandwidth, 0, 4) = 12;
  std::vector<Snapshot> checks;
  checks.push_back(side_of_check(sound_cluster(3, 2)));
  checks.push_back(side_of_check(june, kMonth));
  const auto pages = seen({{page(compare_sides(sides, -3))},
                           {page(compare_sides(two, {}))},
                           {page(dates)},
                           {page(compare_sides(checks, {}))}});
  expect_all(pages[0]["text"], {"TOO SLOW", "node03 cuda 1: lost more", "Changed software",
                                "2 kernel: 6.1.0 -> 6.1.5 (node02)", "A click on a member",
                                "node03 cuda 1\t100\t95\t90\t-10.00 %"});
  EXPECT_TRUE(has(pages[0]["coloured"], "-10.00")) << pages[0];
  expect_all(pages[1]["text"], {"PASSED", "node03 cuda 1\t100\t95\t-5.00 %", "worse"});
  EXPECT_FALSE(has(pages[1]["text"], "A click on a member"));
  expect_all(pages[2]["text"], {"A click on a member", "node03 cuda 1\t100\t95\t-5.00 %"});
  expect_all(
      pages[3]["text"],
      {"Each rank and link: pre-flight check", "device DGEMM, sustained, GFLOP/s",
       "links between nodes, 3 members\tA\tB", "MPI bandwidth, nodes, GB/s\t", "node000 cuda 1\t"});
}

TEST_F(DrawnPage, OfAFleetShowsMapReasonsAndDistribution) {
  FleetReport slow = judged_fleet(6, 2, {{5, {70, 70.5, 70.2}}}), idle = sample_fleet(4, 2),
              nodes = sample_fleet(3, 1);
  idle.hosts.push_back({{.name = "node05"}});
  nodes.each = FleetMemberKind::Node;
  nodes.hosts.push_back({{.name = "node04"}});
  nodes.members[1].runs[0].checksums =
      ChecksumResult{.comparisons = 2, .faults = {{.rank = 0, .last_step = 3, .rows = 1}}};
  slow.power = FleetPower{.source = "pdu.csv",
                          .meters = {{.core_seconds = 90, .watts = 4000, .gflops_per_watt = 2},
                                     {.host = "node01", .watts = 1000, .gflops_per_watt = 2.2},
                                     {.host = "node02", .watts = 2000, .gflops_per_watt = 1.8},
                                     {.host = "node03", .watts = 1000, .gflops_per_watt = 2}},
                          .level = 1,
                          .missing = {"sampling: more"},
                          .remarks = {{.text = "a <line>"}}};
  judge_fleet(idle);
  judge_fleet(nodes);
  const auto pages = seen({{sample_file(slow)}, {sample_file(idle)}, {sample_file(nodes)}});
  expect_all(pages[0]["text"],
             {"Rate against the median of its kind, percent", "The worst, with their reasons", "S5",
              "Distribution of NVIDIA H100", "Power by pdu.csv: level 1 of 3",
              "Power meter: a <line>", "sampling: more", "all\t4000.0"});
  EXPECT_FALSE(has(pages[0]["text"], "What changed")) << "one acceptance has no history";
  EXPECT_TRUE(has(pages[0]["told"], "node03 cuda 1: 70")) << pages[0];
  EXPECT_TRUE(has(pages[0]["marked"], "node03 cuda 1"));
  EXPECT_TRUE(has(pages[0]["coloured"], "-30.1")) << "in the map: " << pages[0];
  EXPECT_TRUE(has(pages[0]["coloured"], "-10.0")) << "in the table of power: " << pages[0];
  expect_all(pages[1]["text"], {"node05\tnone"});
  expect_all(pages[2]["text"], {"node04\nnone", "run 1: checksums: disagree after"});
}

TEST_F(DrawnPage, OfSeveralAcceptancesShowsWhatChanged) {
  FleetReport old = sample_fleet(5, 2), now = sample_fleet(5, 2);
  now.started.seconds += 86400.0 * 30;
  // All lose 2 %, one loses 8 %; one is gone, one is new.
  for (FleetMember& member : now.members)
    for (RunResult& run : member.runs)
      run.gflops *= member.name == "node02 cuda 0" ? 0.92 : 0.98;
  old.members.pop_back();
  now.members.erase(now.members.begin());
  judge_fleet(old);
  judge_fleet(now);
  const auto pages = seen({{sample_file(now, "june.json"), sample_file(old, "may.json")},
                           {sample_file(old, "may.json"), sample_file(old, "may2.json")}});
  expect_all(pages[0]["text"], {"What changed", "node02 cuda 0\t100.6\t92.55\t-8.00 %",
                                "Only in A: node01 cuda 0", "Only in B: node05 cuda 1"});
  EXPECT_TRUE(has(pages[0]["coloured"], "-8.00"));
  expect_all(pages[1]["text"], {"node02 cuda 0\t100.6\t100.6\t0.00 %"});
}

hpl::PredictedRun predicted_run(int nodes, double gflops) {
  hpl::PredictedRun run{.nodes = nodes, .half_order = 4096};
  run.spec.order = 10240;
  run.spec.block_size = 1024;
  run.spec.grid_rows = 2;
  run.spec.grid_columns = nodes;
  run.prediction.model = ModelKind::Sampled;
  run.prediction.seconds = 10;
  run.prediction.gflops = gflops;
  run.prediction.exposed[Phase::RowSwap] = 1.5;
  run.prediction.busy[Phase::Multiply] = run.prediction.exposed[Phase::Multiply] = 8;
  run.prediction.waiting_seconds = 0.5;
  run.smaller = {{5120, gflops / 2}, {10240, gflops}};
  return run;
}

TEST_F(DrawnPage, OfPredictionsShowsCurvesOverNAndNodes) {
  hpl::PredictedRun smaller = predicted_run(4, 500);
  smaller.spec.order = 5120;
  const auto file = [](const PredictionReport& report) {
    return page::parse_run_file("prediction.json", json_text(to_json_value(report)));
  };
  const RunFile one = file(
      {.machine = "made up", .origin = "data sheet", .runs = {smaller, predicted_run(4, 1000)}});
  const RunFile two = file({.machine = "made up",
                            .origin = "measured",
                            .runs = {predicted_run(4, 1000), predicted_run(8, 1800)}});
  const auto pages = seen({{one}, {two}, {sample_file(sample_job()), one}});
  expect_all(pages[0]["text"],
             {"Predicted for made up, by its data sheet", "Rate over N",
              "half of the rate, at N1/2 = 4096", "What products do not hide, 8 ranks", "row swap",
              "waiting for other ranks", "\t80.0\t0.0\t0.0\t15.0\t5.0\tsampled"});
  EXPECT_FALSE(has(pages[0]["text"], "Rate over nodes")) << "there is one number of them";
  EXPECT_EQ(pages[0]["lines"], 1) << "runs that differ in N are of one curve";
  expect_all(pages[1]["text"], {"Predicted for made up, by its measured rates", "Rate over nodes",
                                "Rate of a rank over nodes", "as on 4 nodes",
                                "8 nodes, N1/2 = 4096", "What products do not hide, 8 nodes"});
  expect_all(pages[2]["text"], {"PASSED", "prediction.json", "What products do not hide"});
}

TEST_F(DrawnPage, OfASearchShowsWhatWasFoundAndEveryTrial) {
  json fixed = tuning_document(), many = fixed, open = fixed;
  fixed["fixed"] = {{"BLAS", "OpenBLAS"}, {"--arithmetic", "emulated:14"}};
  for (int i = 0; i < 100; ++i)
    many["trials"].push_back(tuning_trial("panel", "192", 1 + i));
  open["ended"] = false;
  open["exit_code"] = open["command"] = open["best"]["gflops"] = nullptr;
  open["trials"].push_back(tuning_trial("final", "192", 0));
  const auto pages = seen({{file_of(fixed)}, {file_of(many)}, {file_of(open)}});
  expect_all(
      pages[0]["text"],
      {"Tuned for 2 ranks of a processor: 2 trials of N = 8000 in 9 min 40 s",
       "All trials with --arithmetic emulated:14", "against the 50.00 GFLOP/s of the defaults",
       "--NB\t256\t192", "mpirun -np 2 xhpl --dat t.dat", "\tthe defaults\t", "\t--NB 256\t",
       "kept: the <best>"});
  expect_all(pages[1]["text"], {"70 of 100 trials of the stage panel are left out."});
  EXPECT_FALSE(has(pages[1]["text"], "All trials with"));
  expect_all(pages[2]["text"], {"NOT FINISHED", "; not finished"});
  EXPECT_EQ(pages[2]["marked"], json::array({"final"}));
  EXPECT_FALSE(has(pages[2]["text"], "mpirun"));
}

TEST_F(DrawnPage, OfACheckShowsOutliersAndTheFiguresOfTheDeepForm) {
  const auto pages =
      seen({{file_of(check_document(full_check()))}, {file_of(check_document(deep_check()))}});
  expect_all(pages[0]["text"], {"Before the runs", "Pre-flight check of 8 ranks on 2 nodes: 12.5 s",
                                "rank 5 on node1 and rank 3 on node0\tslow\t13 % below the median",
                                "host DGEMM, a core\tGFLOP/s\t70.50\t81.25\t82.00\t8\trank 5"});
  EXPECT_EQ(pages[0]["marked"], json::array({"rank 5 on node1 and rank 3 on node0"}));
  EXPECT_FALSE(has(pages[0]["text"], "Copies and starts"));
  expect_all(pages[1]["text"],
             {"Copies and starts", "copy <host> to device\tGB/s\t30.50", "\t0.75\trank 6"});
}

/// A place of a document, chosen by `draw`.
json& somewhere(json& at, std::mt19937& draw) {
  if (!at.is_structured() || at.empty() || draw() % 8 == 0) return at;
  auto element = at.begin();
  std::advance(element, draw() % at.size());
  return somewhere(*element, draw);
}

TEST_F(DrawnPage, OfAHostileReportIsDrawnWithoutFault) {
  JobReport job = sample_job();
  job.runs = {slower_run(), cluster_run(20)};
  job.runs[0].power = metered_power();
  const std::string evil = "</script><script>evil()</script><img src=x onerror=evil()>";
  const json values[] = {evil,
                         nullptr,
                         -1,
                         1e308,
                         5e-324,
                         true,
                         "",
                         json::array(),
                         json::object(),
                         json::array({evil, nullptr, 3}),
                         {{evil, evil}},
                         9007199254740993};
  const json seeds[] = {json::parse(to_json(job)),
                        json::parse(fleet_json(fleet_with_a_slow_device())),
                        json(to_json_value(PredictionReport{
                            .machine = evil, .runs = {predicted_run(4, 9), predicted_run(8, 9)}})),
                        tuning_document(), check_document(deep_check())};
  std::mt19937 draw(20260103);
  std::vector<std::vector<RunFile>> pages;
  while (pages.size() < 60) {
    json document = seeds[draw() % std::size(seeds)];
    for (auto changes = draw() % 4; changes > 0; --changes)
      somewhere(document, draw) = values[draw() % std::size(values)];
    try {
      pages.push_back({page::parse_run_file(evil, document.dump())});
    } catch (const ConfigError&) {  // refused, so there is no page
    }
  }
  for (const json& page : seen(pages, {.title = evil}))
    EXPECT_TRUE(has(page["text"], evil));
}

}  // namespace
}  // namespace hpl::test
