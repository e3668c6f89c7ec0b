#include "predict/predicted_runs.h"

#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "support/message_of.h"
#include "support/test_files.h"
#include "unit/machine/model/made_up_machine.h"

namespace hpl {
namespace {

MachineFile cluster() {
  MachineFile file;
  file.sheet = parse_machine_sheet("machine.json", test::gpu_cluster_sheet());
  file.rates = rates_of(*file.sheet);
  return file;
}

std::string refusal_of(const PredictOptions& options, const MachineFile& machine) {
  return test::message_of<ConfigError>([&] { predict_runs(options, machine); });
}

TEST(PredictedRuns, AreMadeForEveryNumberOfNodes) {
  PredictOptions options;
  options.nodes = {1, 2};
  options.block_sizes = {1024};
  const PredictionReport report = predict_runs(options, cluster());
  ASSERT_EQ(report.runs.size(), 2U);
  EXPECT_EQ(report.runs[0].nodes, 1);
  EXPECT_EQ(report.runs[1].nodes, 2);
  // The whole memory of twice as many GPUs, less what is lost on the way.
  EXPECT_GT(report.runs[1].spec.order, report.runs[0].spec.order);
  EXPECT_GT(report.runs[1].prediction.gflops, 1.8 * report.runs[0].prediction.gflops);
  for (const PredictedRun& run : report.runs) {
    ASSERT_TRUE(run.half_order);
    EXPECT_LT(*run.half_order, run.spec.order);
    EXPECT_TRUE(run.prediction.efficiency);
    EXPECT_TRUE(run.prediction.energy_joules);
  }
}

TEST(PredictedRuns, SayOnceWhichLinksStandForOthers) {
  MachineFile machine{.rates = test::only_products()};
  for (LinkRates& link : machine.rates.links)
    link.neighbours = Neighbours::Row;
  PredictOptions options;
  options.orders = {4096, 8192};
  options.block_sizes = {512};
  options.grid_rows = {2};
  options.grid_columns = {1};
  const PredictionReport report = predict_runs(options, machine);
  EXPECT_EQ(report.remarks.size(), 1U);
  EXPECT_NE(prediction_text(report).find("\nRemark: the rates have no links along columns"),
            std::string::npos);
}

TEST(PredictedRuns, AreOfHplMxpWhereItsRatesAreGivenAndAskedFor) {
  MachineFile machine{.rates = test::only_products()};
  PredictOptions options;
  options.orders = {4096};
  options.nodes = {1};
  options.mixed = true;
  EXPECT_NE(refusal_of(options, machine).find("are those of HPL, and the run"), std::string::npos);
  machine.rates.mixed = MixedRates{.spec = {.storage = hpcx::Precision::Fp32},
                                   .factor_gelements = test::always(2, test::kNoLimit)};
  const PredictionReport report = predict_runs(options, machine);
  EXPECT_EQ(report.runs.front().spec.mixed, machine.rates.mixed->spec);
  EXPECT_NE(prediction_text(report).find("HPL-MxP: FP16 products, FP32 storage"),
            std::string::npos);
  options.mixed = false;
  EXPECT_NE(refusal_of(options, machine).find("are those of HPL-MxP"), std::string::npos);
}

TEST(PredictedRuns, HaveTheirRateOverSmallerOrdersWhereADocumentIsWritten) {
  PredictOptions options;
  options.nodes = {1};
  options.block_sizes = {1024};
  EXPECT_TRUE(predict_runs(options, cluster()).runs.front().smaller.empty());
  options.json_file = "out.json";
  const PredictedRun run = predict_runs(options, cluster()).runs.front();
  const std::vector<RatePoint>& curve = run.smaller;
  ASSERT_EQ(curve.size(), 24U);
  EXPECT_EQ(curve.back().order, run.spec.order);
  for (std::size_t i = 1; i < curve.size(); ++i) {
    EXPECT_EQ(curve[i - 1].order % 1024, 0);
    EXPECT_GT(curve[i].order, curve[i - 1].order);
    EXPECT_GT(curve[i].gflops, curve[i - 1].gflops);
  }
  // The curve passes half of the rate where N1/2 is.
  for (const RatePoint& point : curve)
    EXPECT_EQ(point.order >= *run.half_order, point.gflops > run.prediction.gflops / 2)
        << point.order;
}

TEST(PredictedRuns, OfAGivenConfigurationAreThatOne) {
  PredictOptions options;
  options.nodes = {1};
  options.orders = {50000};
  options.block_sizes = {512, 1024};
  options.grid_rows = {2};
  options.model = ModelRequest::All;
  const PredictionReport report = predict_runs(options, cluster());
  ASSERT_EQ(report.runs.size(), 4U);
  for (const PredictedRun& run : report.runs) {
    EXPECT_EQ(run.spec.order, 50000);
    EXPECT_EQ(run.spec.grid_rows, 2);
    EXPECT_EQ(run.spec.grid_columns, 4);
  }
  EXPECT_EQ(report.runs[0].prediction.model, ModelKind::Sampled);
  EXPECT_EQ(report.runs[3].prediction.model, ModelKind::Simulated);
  EXPECT_EQ(report.runs[3].spec.block_size, 1024);
}

TEST(PredictedRuns, FallBackToHostMemoryOnlyWhereAskedOrNeeded) {
  PredictOptions options;
  options.nodes = {1};
  options.orders = {400000};
  options.block_sizes = {1024};
  EXPECT_TRUE(!predict_runs(options, cluster()).runs.at(0).device_matrix);
  options.matrix = MatrixRequest::Device;
  const std::string text = refusal_of(options, cluster());
  EXPECT_NE(text.find("N = 400000 on a 1 x 8 grid needs 1"), std::string::npos) << text;
  EXPECT_NE(text.find("the largest N that fits with NB = 1024 is "), std::string::npos) << text;
}

TEST(PredictedRuns, RefuseWhatDoesNotDivide) {
  PredictOptions options;
  options.nodes = {1};
  options.orders = {1000};
  options.grid_rows = {3};
  EXPECT_EQ(refusal_of(options, cluster()), "-P 3 does not divide the 8 ranks; give P and Q");
  options.grid_rows = {1, 2, 4};
  options.grid_columns = {8, 4};
  EXPECT_EQ(refusal_of(options, cluster()),
            "-P and -Q must have as many values, or one of them a single value, found 3 and 2");
}

PredictOptions small_run() {
  PredictOptions options;
  options.nodes = {1};
  options.orders = {20000};
  options.block_sizes = {1024};
  return options;
}

TEST(PredictedRuns, AreRefusedWhereNoTimeFollowsFromTheRates) {
  const std::string message =
      "the rates of made up give no time for N = 20000 with NB = 1024 on a ";
  PredictOptions options = small_run();
  options.nodes = {2};
  for (double MachineSheet::*const figure :
       {&MachineSheet::nic_gbits, &MachineSheet::in_node_gbytes}) {
    MachineFile machine = cluster();
    (*machine.sheet).*figure = 1e-320;
    machine.rates = rates_of(*machine.sheet);
    EXPECT_TRUE(refusal_of(options, machine).starts_with(message)) << refusal_of(options, machine);
  }
  for (double Rates::*const figure : {&Rates::plan_seconds, &Rates::task_seconds}) {
    MachineFile machine = cluster();
    machine.sheet.reset();
    machine.rates.*figure = 1e308;
    EXPECT_TRUE(refusal_of(small_run(), machine).starts_with(message))
        << refusal_of(small_run(), machine);
  }
  MachineFile machine = cluster();
  machine.rates.peak_gflops = 1e-320;
  EXPECT_TRUE(refusal_of(small_run(), machine).starts_with(message));
}

TEST(PredictedRuns, AreRefusedWhereTheyWouldTakeForEver) {
  PredictOptions options = small_run();
  options.orders = {1'000'000'000};
  options.block_sizes = {1};
  EXPECT_EQ(refusal_of(options, cluster()),
            "the sampled model would take too long for N = 1000000000 with NB = 1 on a 1 x 8 "
            "grid: 1000000000 steps; give a larger NB");
  options.nodes = {512};
  options.orders = {20'000'000};
  options.block_sizes = {512};
  options.model = ModelRequest::Simulated;
  EXPECT_TRUE(refusal_of(options, cluster()).ends_with("fewer ranks or --model sampled"))
      << refusal_of(options, cluster());
}

TEST(PredictedRuns, AreRefusedWithMoreRanksThanAnyMachineHas) {
  PredictOptions options = small_run();
  options.grid_rows = options.grid_columns = {2'147'483'647};
  EXPECT_EQ(refusal_of(options, cluster()),
            "P x Q must be at most 10000000 ranks, found 2147483647 x 2147483647");
  options = small_run();
  MachineFile machine = cluster();
  machine.rates.ranks_per_node = 2'147'483'647;
  EXPECT_EQ(refusal_of(options, machine),
            "--nodes, with their ranks, must be at most 10000000 ranks, found 1 x 2147483647");
  machine = cluster();
  machine.sheet->accelerators_per_node = 2'000'000;
  machine.sheet->nodes = 2'000'000;
  EXPECT_EQ(test::message_of<ConfigError>([&] { static_cast<void>(rates_of(*machine.sheet)); }),
            "made up: all nodes must have at most 2147483647 ranks, found 2000000 x 2000000");
}

TEST(PredictedRuns, RefuseTilesThatDoNotDivideTheGrid) {
  PredictOptions options = small_run();
  options.grid_rows = {2};
  options.grid_columns = {4};
  options.node_columns = 3;
  EXPECT_EQ(
      refusal_of(options, cluster()),
      "--node-rows must divide P and --node-columns must divide Q, found 2 and 3 of a 2 x 4 grid");
}

TEST(PredictedRuns, OfNothingTakeNoTimeAndHalfOfARateIsReachedByItsOrder) {
  PredictOptions options = small_run();
  options.orders = {0};
  const PredictedRun none = predict_runs(options, cluster()).runs.at(0);
  EXPECT_EQ(none.prediction.seconds, 0);
  EXPECT_EQ(none.prediction.gflops, 0);
  options.orders = {3};
  EXPECT_EQ(predict_runs(options, cluster()).runs.at(0).half_order, 3);
}

}  // namespace
}  // namespace hpl
