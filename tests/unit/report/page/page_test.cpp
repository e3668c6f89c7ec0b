#include "hpl/report/page/page.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sample_job.h"

namespace hpl::page {
namespace {

std::string page_of(std::vector<RunFile> files, const PageOptions& options = {}) {
  return build_page(files, options);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Page, NeedsNothingFromElsewhere) {
  JobReport job = test::sample_job();
  job.runs = {test::cluster_run(4)};
  const std::string page = page_of({test::sample_file(job)});
  for (const char* const reference : {"http://", "https://", "src=", "href=", "url(", "@import"})
    EXPECT_FALSE(has(page, reference)) << reference;
}

TEST(Page, SaysPassedWithTheFiguresOfTheRun) {
  const std::string page = page_of({test::sample_file(test::sample_job())});
  EXPECT_TRUE(has(page, "<strong>PASSED</strong>"));
  EXPECT_TRUE(has(page, "1 run passed the residual check."));
  EXPECT_TRUE(has(page, "N = 1000 on 2 × 3"));
  EXPECT_TRUE(has(page, "<dt>Of the attainable rate</dt><dd>53.5<small>%</small>")) << page;
  EXPECT_TRUE(has(page, ", alone after run 1</p>")) << page;
  EXPECT_TRUE(has(page, "node01 · 2026-01-03 04:00 UTC · xhpl 1.2.3"));
}

TEST(Page, SaysFailedAndNamesThePivot) {
  JobReport job = test::sample_job();
  job.runs = {test::passing_run(), test::singular_run()};
  job.exit_code = ExitCode::Failed;
  const std::string page = page_of({test::sample_file(job)});
  EXPECT_TRUE(has(page, "<strong>FAILED</strong>"));
  EXPECT_TRUE(has(page, "1 run passed the residual check, 1 run failed."));
  EXPECT_TRUE(has(page, "no usable pivot in column 17"));
}

TEST(Page, SaysWhyAJobEndedEarly) {
  JobReport job = test::sample_job();
  job.runs.clear();
  job.error = "rank 3 on node02 is gone";
  job.exit_code = ExitCode::Broken;
  const std::string page = page_of({test::sample_file(job)});
  EXPECT_TRUE(has(page, "<strong>ENDED EARLY</strong>"));
  EXPECT_TRUE(has(page, "the job ended early: rank 3 on node02 is gone"));
  EXPECT_TRUE(has(page, "No run was made."));
}

TEST(Page, ShowsEveryRankOfAFew) {
  JobReport job = test::sample_job();
  job.runs = {test::cluster_run(6)};
  const std::string page = page_of({test::sample_file(job)});
  EXPECT_TRUE(has(page, "Seconds of every rank"));
  EXPECT_EQ(count(page, "<th scope=\"row\">rank "), 6U);
  EXPECT_EQ(count(page, "<circle class=\"dot\""), 2U * 6U) << "two phases took time";
  EXPECT_TRUE(has(page, "class=\"n h4\">2.400")) << "the slow rank stands out";
}

TEST(Page, SumsUpAThousandRanks) {
  JobReport job = test::sample_job();
  job.runs = {test::cluster_run(1000)};
  const std::string page = page_of({test::sample_file(job)});
  EXPECT_TRUE(has(page, "The 16 of 1000 ranks furthest from the median"));
  EXPECT_EQ(count(page, "<th scope=\"row\">rank "), 16U);
  EXPECT_TRUE(has(page, "rank 999 on node249"));
  EXPECT_EQ(count(page, "<circle class=\"dot\""), 0U);
  EXPECT_EQ(count(page, "<path class=\"band"), 3U) << "clock, power and temperature";
  EXPECT_LT(page.size(), 500000U);
}

TEST(Page, ComparesFilesWithTheFirst) {
  JobReport slow = test::sample_job(), fast = test::sample_job();
  fast.runs[0].gflops *= 1.25;
  const std::string page =
      page_of({test::sample_file(slow, "before.json"), test::sample_file(fast, "after.json")});
  EXPECT_TRUE(has(page, "Runs beside each other"));
  EXPECT_TRUE(has(page, ">+25.0 %</td>"));
  EXPECT_TRUE(has(page, "2 runs of 2 jobs"));
  EXPECT_TRUE(has(page, "<th scope=\"col\">before.json</th><th scope=\"col\">after.json</th>"));
}

TEST(Page, GivesMedianAndLeastOfRepetitions) {
  JobReport job = test::sample_job();
  job.runs = {test::passing_run(), test::passing_run(), test::passing_run()};
  for (int repeat = 0; repeat < 3; ++repeat) {
    job.runs[static_cast<std::size_t>(repeat)].repeat_index = repeat;
    job.runs[static_cast<std::size_t>(repeat)].gflops = 100 + 10 * repeat;
  }
  const std::string page = page_of({test::sample_file(job)});
  EXPECT_TRUE(has(page, "best of 3; median 110 GFLOP/s, least 100 GFLOP/s"));
  EXPECT_TRUE(has(page, "repetition 3"));
}

TEST(Page, SaysWhichSettingsVary) {
  JobReport job = test::sample_job();
  job.runs.push_back(test::passing_run());
  job.runs[1].run_index = 1;
  job.runs[1].spec.block_size = 256;
  const std::string page = page_of({test::sample_file(job)});
  EXPECT_TRUE(has(page, "NB, block size <span class=\"tag\">varies</span></th><td>128, 256</td>"));
}

TEST(Page, DrawsSoManyRunsAsItIsTold) {
  JobReport job = test::sample_job();
  for (int i = 1; i < 50; ++i) {
    job.runs.push_back(test::passing_run());
    job.runs.back().run_index = i;
  }
  const RunFile file = test::sample_file(job);
  EXPECT_EQ(count(page_of({file}), "<details class=\"run\""), 6U);
  const std::string page = page_of({file}, {.runs_in_full = 2});
  EXPECT_EQ(count(page, "<details class=\"run\""), 2U);
  EXPECT_TRUE(has(page, "Charts of 2 of 50 runs are shown."));
  EXPECT_TRUE(has(page, "Rate, the 40 fastest of 50"));
}

TEST(Page, CannotBeLeftByTextFromTheFile) {
  JobReport job = test::sample_job();
  const std::string evil = "</style></script><script>alert(1)</script>";
  job.header.environment = {{"host", evil}, {evil, "x"}};
  job.header.remarks = {evil};
  job.runs = {test::cluster_run(2)};
  job.runs[0].remarks = {evil};
  job.runs[0].devices[0].host = job.runs[0].devices[1].host = evil;
  job.runs[0].devices[0].device = evil;
  job.error = evil;
  const std::string page = page_of({test::sample_file(job, evil)}, {.title = evil});
  EXPECT_FALSE(has(page, "<script>alert"));
}

/// The sample with further members, as other jobs write them.
template <class Change>
RunFile changed_file(Change change) {
  nlohmann::json document = nlohmann::json::parse(to_json(test::sample_job()));
  change(document);
  return parse_run_file("run.json", document.dump());
}

const nlohmann::json kCheck = nlohmann::json::parse(R"({
  "form": "full", "seconds": 12.5, "tolerance": 0.05, "sound": false, "ranks": 8, "nodes": 2,
  "metrics": [{"metric": "host_dgemm", "label": "DGEMM of the host", "unit": "GFLOP/s",
               "group": "Xeon", "count": 8, "minimum": 70.5, "median": 81.25, "maximum": 82,
               "worst_rank": 5, "worst_peer": null}],
  "findings": [{"kind": "outlier", "rank": 5, "host": "node1", "device": "cpu", "peer": 3,
                "peer_host": "node0", "bad_links": 0, "metric": "host_dgemm", "value": 70.5,
                "median": 81.25, "what": "13 % below the median"},
               {"kind": "remark", "rank": 0, "host": "node0", "device": "cpu", "peer": null,
                "peer_host": null, "bad_links": 0, "metric": null, "value": null, "median": null,
                "what": "no sensor of power"}]})");

TEST(Page, ShowsTheCheckBeforeTheRunsWithItsOutliersMarked) {
  const std::string page = page_of({changed_file([](auto& d) { d["preflight"] = kCheck; })});
  EXPECT_TRUE(has(page, "<h2>Before the runs</h2>"));
  EXPECT_TRUE(has(page, "Full check of 8 ranks on 2 nodes"));
  EXPECT_TRUE(has(page,
                  "<tr class=\"bad\"><td><span class=\"status failed\">outlier</span></td>"
                  "<th scope=\"row\">rank 5 on node1, cpu with rank 3 on node0</th>"
                  "<td>13 % below the median</td>"));
  EXPECT_TRUE(has(page, "<td class=\"n\">70.5</td><td class=\"n\">81.25</td>"));
  EXPECT_TRUE(has(page, "the check before the runs found 1 thing, listed below"));
}

TEST(Page, ShowsWhatBoundsTheFiguresOfADeepCheck) {
  nlohmann::json check = kCheck;
  EXPECT_FALSE(
      has(page_of({changed_file([&](auto& d) { d["preflight"] = check; })}), "What bounds it"));
  check["form"] = "deep";
  check["deep"] = nlohmann::json::parse(R"([
    {"figure": "host_loops_fp64", "label": "host FP64, <three> loops", "unit": "GFLOP/s",
     "group": "Xeon", "count": 8, "minimum": 1.5, "median": 2.25, "maximum": 2.5,
     "lower_is_better": false, "worst_rank": 6, "bound": "caches", "share": 1.75, "error": 0.5},
    {"figure": "device_context", "label": "device context", "unit": "ms", "group": "H200",
     "count": 1, "minimum": 230, "median": 230, "maximum": 230, "lower_is_better": true,
     "worst_rank": 0, "bound": null, "share": null, "error": null},
    {"figure": "host_library_fp64", "label": "library", "unit": "GFLOP/s", "group": "Xeon",
     "count": 1, "minimum": 80, "median": 80, "maximum": 80, "lower_is_better": false,
     "worst_rank": 0, "bound": "compute", "share": 1, "error": 12}])");
  const std::string page = page_of({changed_file([&](auto& d) { d["preflight"] = check; })});
  EXPECT_TRUE(has(page, "Deep check of 8 ranks on 2 nodes"));
  EXPECT_TRUE(has(page, "host FP64, &lt;three&gt; loops"));
  EXPECT_TRUE(has(page, "value=\"1.000\">1.75</meter> caches, 175 %</td>"));
  EXPECT_TRUE(has(page, "<td>rank 6</td>"));
  EXPECT_TRUE(has(page, "<tr class=\"bad\"><th scope=\"row\">library</th>"));
}

TEST(Page, OfACheckAloneHasItsVerdict) {
  const auto check_file = [](int exit_code) {
    const nlohmann::json document = {{"schema_version", 1},
                                     {"program", {{"name", "xhpl"}, {"version", "1.2.3"}}},
                                     {"preflight", kCheck},
                                     {"ranks", nlohmann::json::array()},
                                     {"exit_code", exit_code}};
    return parse_run_file("check.json", document.dump());
  };
  EXPECT_TRUE(
      has(page_of({check_file(1)}), "<strong>FAILED</strong><span>A check; no run was made."));
  EXPECT_TRUE(has(page_of({check_file(0)}), "<strong>PASSED</strong>"));
  EXPECT_TRUE(has(page_of({check_file(0)}), "<h1>Check before the runs</h1>"));
}

TEST(Page, ShowsProductsFromHostMemory) {
  const auto total = [](double seconds, double bytes) {
    return nlohmann::json{
        {"seconds", seconds}, {"bytes", bytes}, {"flops", 0}, {"bytes_per_second", bytes / 2}};
  };
  const auto file = [&](bool passed) {
    const nlohmann::json variant = {
        {"variant", "hb"},
        {"seconds", 2.5},
        {"gflops", 4000},
        {"share_of_kernel", .8},
        {"share_of_allowed", .9},
        {"fill_seconds", .125},
        {"drain_seconds", .25},
        {"imbalance", .01},
        {"host_share", .03},
        {"host_gain", .75},
        {"remark", "a < b"},
        {"stages", {{{"stage", "load2"}, {"alone", total(2, 8e9)}, {"in_pipeline", total(0, 0)}}}},
        {"check", {{"passed", passed}}}};
    const nlohmann::json document = {
        {"schema_version", 1},
        {"program", {{"name", "xhpl-gemm"}, {"version", "1.2.3"}}},
        {"products",
         {{{"m", 100},
           {"n", 100},
           {"k", 50},
           {"kernel_gflops", 5000},
           {"allowed_gflops", 4500},
           {"host_gflops", 100},
           {"break_even_depth", 25},
           {"link_bytes_per_second", {{"in_both", 47e9}, {"out_both", 50e9}}},
           {"variants", {variant}}}}},
        {"exit_code", passed ? 0 : 1}};
    return parse_run_file("gemm.json", document.dump());
  };
  const std::string page = page_of({file(true)});
  EXPECT_TRUE(has(page, "<strong>PASSED</strong><span>1 product within rounding bounds."));
  EXPECT_TRUE(has(page, "<h1>Products from host memory</h1>"));
  EXPECT_TRUE(has(page, "<h3>m = n = 100, k = 50</h3>"));
  EXPECT_TRUE(has(page, "link 47 GB/s in and 50 GB/s out with both busy: k* = 25, k / k* = 2;"));
  EXPECT_TRUE(has(page, "of the host's own rate gained"));
  EXPECT_TRUE(has(page, "hb: a &lt; b"));
  EXPECT_TRUE(has(page,
                  "<th scope=\"row\">load2</th><td class=\"n\">2</td><td class=\"n\">4</td>"
                  "<td class=\"n\"></td><td class=\"n\"></td>"));
  EXPECT_TRUE(has(page_of({file(false)}), "<strong>FAILED</strong><span>1 product wrong."));
}

TEST(Page, NamesTheGateThatWasNotHeld) {
  const std::string page = page_of({changed_file([](auto& d) {
    d["exit_code"] = 1;
    d["gates"] = {
        {{"gate", "--min-gflops"},
         {"limit", 5},
         {"worst", 4},
         {"held", false},
         {"reason", "4 of 5"}},
        {{"gate", "--max-spread"}, {"limit", 5}, {"worst", 1}, {"held", true}, {"reason", "fine"}}};
  })});
  EXPECT_TRUE(has(page, "<strong>FAILED</strong>"));
  EXPECT_TRUE(has(page, "--min-gflops was not held: 4 of 5"));
  EXPECT_FALSE(has(page, "--max-spread"));
}

TEST(Page, CallsAProjectionAProjection) {
  const std::string page = page_of({changed_file([](auto& d) {
    auto& run = d["runs"][0];
    run["status"] = "stopped";
    run["gflops"] = nullptr;
    run["stopped"] = {{"columns_done", 100},
                      {"fraction", 0.25},
                      {"gflops", 50},
                      {"projected_seconds", 9},
                      {"projected_gflops", 48}};
  })});
  EXPECT_TRUE(has(page, "<dt>Projected rate</dt>"));
  EXPECT_FALSE(has(page, "<dt>Rate</dt>"));
  EXPECT_TRUE(has(page, "1 run stopped early."));
}

TEST(Page, SaysBesideTheVerdictThatFp64WasEmulated) {
  const std::string words = "<li>tail update in FP64 emulated by 14 INT8 products, Ozaki II</li>";
  const auto with = [](const char* arithmetic) {
    return page_of(
        {changed_file([&](auto& d) { d["runs"][0]["spec"]["arithmetic"] = arithmetic; })});
  };
  EXPECT_TRUE(has(with("FP64 emulated by 14 INT8 products, Ozaki II"), words));
  EXPECT_FALSE(has(with("FP64"), "tail update in"));
}

TEST(Page, SaysHowMessagesTravelled) {
  const std::string page = page_of({changed_file([](auto& d) {
    d["runs"][0]["transports"] = {
        {"row", {{"ranks", 4}, {"name", "nccl"}, {"gigabytes_per_second", 351.2}}},
        {"column", {{"ranks", 1}, {"name", ""}, {"gigabytes_per_second", nullptr}}}};
  })});
  EXPECT_TRUE(has(page, "Messages: nccl along the process row at 351 GB/s each way."));
}

TEST(Page, ShowsWhatWasExpectedAndPutsWhatIsBeyondItFirst) {
  JobReport job = test::sample_job();
  const std::string before = page_of({test::sample_file(job)});
  EXPECT_FALSE(has(before, "Expected and got"));
  job.runs = {test::slower_run()};
  const std::string page = page_of({test::sample_file(job)});
  const std::string finding =
      "row swap on rank 3: 0.75 s, 3.0 times the 0.25 s that its links and copies allow";
  EXPECT_TRUE(has(page, "<li>expected 2 s by the simulated model, got 2.5 s")) << page;
  EXPECT_TRUE(has(page, "<li>" + finding + "</li>"));
  EXPECT_TRUE(has(page, "<h3>Expected and got</h3>"));
  EXPECT_TRUE(has(page, R"(<tr class="bad"><th scope="row">row swap: beyond the model</th>)"));
  job.runs.front().seconds = 2.05;
  job.runs.front().rank_working = job.runs.front().expected->rank_phases;
  const std::string as_expected = page_of({test::sample_file(job)});
  EXPECT_FALSE(has(as_expected, "Worth a look"));
  EXPECT_TRUE(has(as_expected, "<p>expected 2 s by the simulated model, got 2.05 s"));
}

TEST(Page, OfAFileWithoutDetailsIsStillAPage) {
  const std::string page = page_of({parse_run_file("old.json", R"({
    "schema_version": 1, "program": {"name": "xhpl"}, "exit_code": 0,
    "runs": [{"status": "passed", "gflops": null, "seconds": 0,
              "spec": {"variant": "WR", "order": 0, "block_size": 1, "grid_rows": 1,
                       "grid_columns": 1}}]})")});
  EXPECT_TRUE(has(page, "The file holds neither steps nor phases of this run."));
}

}  // namespace
}  // namespace hpl::page
