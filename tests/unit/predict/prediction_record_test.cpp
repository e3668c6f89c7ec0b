#include <gtest/gtest.h>

#include "hpl/predict/prediction_report.h"

namespace hpl {
namespace {

PredictionReport report() {
  PredictedRun run{.scenario = "nic=100Gb", .nodes = 2, .half_order = 512};
  run.spec.order = 1000;
  run.spec.broadcast = BroadcastVariant::Long;
  run.node_rows = 2;
  run.node_columns = 4;
  run.look_ahead = 1;
  run.chunk_columns = 64;
  run.pipeline = "fine";
  run.device_panel = true;
  run.device_matrix = false;
  run.memory_bytes = 1e9;
  run.prediction = {.model = ModelKind::Sampled, .seconds = 2, .gflops = 300, .efficiency = 0.5};
  run.prediction.busy[Phase::Multiply] = 1.5;
  run.prediction.exposed[Phase::RowSwap] = 0.25;
  run.prediction.waiting_seconds = 0.125;
  run.smaller = {{500, 150}, {1000, 300}};
  const PredictedSystem known{.name = "Known",
                              .accelerator = "H100",
                              .accelerators = 8,
                              .listed_tflops = 0.25,
                              .run = run,
                              .least_tflops = 0.125,
                              .most_tflops = 0.5};
  return {.program = {"xhpl-predict", "1.2.3"},
          .machine = "made up",
          .origin = "measured",
          .runs = {run},
          .systems = {known, {.name = "Unknown", .accelerators = 1, .listed_tflops = 1}}};
}

TEST(PredictionReport, IsReadAsItWasWritten) {
  const Record::Json written = to_json_value(report());
  const auto read = from_json_value<PredictionReport>(JsonCursor(written, "p.json"));
  EXPECT_EQ(to_json_value(read), written);
  const PredictedRun& run = read.runs[0];
  EXPECT_EQ(run.spec.broadcast, BroadcastVariant::Long);
  EXPECT_FALSE(run.device_matrix);
  EXPECT_EQ(run.prediction.exposed[Phase::RowSwap], 0.25);
  EXPECT_EQ(read.systems[0].most_tflops, 0.5);
  EXPECT_FALSE(read.systems[1].run);
  EXPECT_DOUBLE_EQ(written.at("median_error").get<double>(), 0.2);
  EXPECT_EQ(written.at("median_errors_without_one").size(), 2U);
}

}  // namespace
}  // namespace hpl
