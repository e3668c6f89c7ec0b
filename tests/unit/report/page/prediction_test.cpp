#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hpl/base/error/error.h"
#include "hpl/report/page/page.h"
#include "hpl/report/prediction/prediction_report.h"
#include "sample_job.h"

namespace hpl::page {
namespace {

hpl::PredictedRun predicted_run(int nodes, double gflops, const std::string& scenario = "") {
  hpl::PredictedRun run{.scenario = scenario, .nodes = nodes, .half_order = 4096};
  run.configuration.spec.order = 10240;
  run.configuration.spec.block_size = 1024;
  run.configuration.spec.grid_rows = 2;
  run.configuration.spec.grid_columns = nodes;
  run.prediction.model = ModelKind::Overlapped;
  run.prediction.seconds = 10;
  run.prediction.gflops = gflops;
  run.prediction.exposed[Phase::RowSwap] = 1.5;
  run.prediction.busy[Phase::Multiply] = run.prediction.exposed[Phase::Multiply] = 8;
  run.prediction.waiting_seconds = 0.5;
  run.smaller = {{5120, gflops / 2}, {10240, gflops}};
  return run;
}

RunFile file_of(const PredictionReport& report) {
  return parse_run_file("prediction.json", prediction_json(report));
}

std::string page_of(const PredictionReport& report) {
  return build_page(std::vector{file_of(report)}, {});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(PredictionFile, HoldsWhatTheDocumentHolds) {
  const RunFile file =
      file_of({.machine = "made up", .origin = "measured", .runs = {predicted_run(4, 1000)}});
  ASSERT_TRUE(file.predictions);
  EXPECT_EQ(file.predictions->machine, "made up");
  const PredictedRun& run = file.predictions->runs.front();
  EXPECT_EQ(run.nodes, 4);
  EXPECT_EQ(run.ranks(), 8);
  EXPECT_EQ(run.model, "overlapped");
  EXPECT_EQ(run.half_order, 4096);
  EXPECT_EQ(run.over_order, (std::vector<std::pair<double, double>>{{5120, 500}, {10240, 1000}}));
  EXPECT_EQ(run.multiply_seconds, 8);
  double exposed = 0;
  for (const auto& [phase, seconds] : run.exposed) {
    EXPECT_NE(phase, "matrix multiply");
    exposed += seconds;
  }
  EXPECT_DOUBLE_EQ(exposed, 2);  // of ten seconds, eight are products
}

TEST(PredictionFile, WithAValueOfAnotherTypeIsRefusedWithItsPlace) {
  auto document = nlohmann::json::parse(prediction_json({.runs = {predicted_run(1, 1)}}));
  document["runs"][0]["gflops"] = "fast";
  try {
    parse_run_file("p.json", document.dump());
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "p.json: runs[0].gflops must be a number, found \"fast\"");
  }
}

TEST(PredictionPage, DrawsTheRateOverNAndMarksTheOrderOfHalfTheRate) {
  const std::string page =
      page_of({.machine = "made up", .origin = "data sheet", .runs = {predicted_run(4, 1000)}});
  EXPECT_TRUE(has(page, "<h1>Predictions</h1>"));
  EXPECT_TRUE(has(page, "<p>made up, by its data sheet.</p>"));
  EXPECT_TRUE(has(page, "<figcaption>Rate over N<"));
  EXPECT_TRUE(has(page, "half of the rate, at N1/2 = 4096"));
  EXPECT_TRUE(has(page, "What products do not hide, 8 ranks"));
  EXPECT_TRUE(has(page, "row swap"));
  EXPECT_TRUE(has(page, "waiting for other ranks"));
  EXPECT_FALSE(has(page, "Rate over nodes"));  // there is one number of them
  // It is no run: there is nothing to pass.
  EXPECT_FALSE(has(page, "PASSED"));
  EXPECT_FALSE(has(page, "NOT FINISHED"));
}

TEST(PredictionPage, ComparesNumbersOfNodesAndScenarios) {
  const std::string page =
      page_of({.machine = "made up",
               .origin = "data sheet",
               .runs = {predicted_run(4, 1000), predicted_run(8, 1800),
                        predicted_run(4, 900, "nic=100Gb"), predicted_run(8, 1500, "nic=100Gb")}});
  EXPECT_TRUE(has(page, "<figcaption>Rate over nodes<"));
  EXPECT_TRUE(has(page, "<figcaption>Rate of a rank over nodes<"));
  EXPECT_TRUE(has(page, "as on 4 nodes"));
  EXPECT_TRUE(has(page, "8 nodes, nic=100Gb, N1/2 = 4096"));
  EXPECT_TRUE(
      has(page, "What products do not hide, 8 nodes, the machine as it is"));  // the fastest
}

TEST(PredictionPage, TakesTheLargestOfRunsThatDifferInN) {
  hpl::PredictedRun smaller = predicted_run(4, 500);
  smaller.configuration.spec.order = 5120;
  const std::string page = page_of({.runs = {smaller, predicted_run(4, 1000)}});
  EXPECT_TRUE(has(page, "half of the rate, at N1/2 = 4096"));  // one curve
}

TEST(PredictionPage, ListsSystemsWithTheirErrors) {
  hpl::PredictedSystem known{.name = "Some <b>",
                             .accelerator = "H100",
                             .accelerators = 8,
                             .listed_tflops = 400,
                             .run = predicted_run(1, 420e3)};
  const std::string page = page_of({.systems = {known,
                                                {.name = "Other",
                                                 .accelerator = "Abacus",
                                                 .accelerators = 3,
                                                 .listed_tflops = 1,
                                                 .remark = "no data sheet"}}});
  EXPECT_TRUE(has(page, "Some &lt;b&gt;"));
  EXPECT_TRUE(has(page, ">5.0\u00a0%<"));
  EXPECT_TRUE(has(page, "Other: no data sheet"));
}

TEST(PredictionPage, StandsBesideRuns) {
  const std::vector<RunFile> files{test::sample_file(test::sample_job()),
                                   file_of({.runs = {predicted_run(4, 1000)}})};
  const std::string page = build_page(files, {});
  EXPECT_TRUE(has(page, "<strong>PASSED</strong>"));
  EXPECT_TRUE(has(page, "<h3>prediction.json</h3>"));
}

}  // namespace
}  // namespace hpl::page
