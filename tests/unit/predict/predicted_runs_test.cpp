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

constexpr const char* kNames =
    "name,accelerator,n_acc_derived,rmax_tf,nmax,interconnect,power_kw\n";

TEST(PredictedRuns, AreMadeForEveryNumberOfNodesAndScenario) {
  PredictOptions options;
  options.nodes = {1, 2};
  options.block_sizes = {1024};
  options.what_ifs = {"nic=800Gb", "dgemm=2x,memory=160GB"};
  const PredictionReport report = predict_runs(options, cluster());
  ASSERT_EQ(report.runs.size(), 6U);
  EXPECT_EQ(report.runs[0].nodes, 1);
  EXPECT_EQ(report.runs[1].nodes, 2);
  EXPECT_EQ(report.runs[2].scenario, "nic=800Gb");
  EXPECT_EQ(report.runs[4].scenario, "dgemm=2x,memory=160GB");
  // The whole memory of twice as many GPUs, and twice the rate, less what is lost on the way.
  EXPECT_GT(report.runs[1].spec.order, report.runs[0].spec.order);
  EXPECT_GT(report.runs[1].prediction.gflops, 1.8 * report.runs[0].prediction.gflops);
  EXPECT_GT(report.runs[4].prediction.gflops, 1.7 * report.runs[0].prediction.gflops);
  for (const PredictedRun& run : report.runs) {
    ASSERT_TRUE(run.half_order);
    EXPECT_LT(*run.half_order, run.spec.order);
    EXPECT_TRUE(run.prediction.efficiency);
    EXPECT_TRUE(run.prediction.energy_joules);
  }
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
  ASSERT_EQ(report.runs.size(), 6U);
  for (const PredictedRun& run : report.runs) {
    EXPECT_EQ(run.spec.order, 50000);
    EXPECT_EQ(run.spec.grid_rows, 2);
    EXPECT_EQ(run.spec.grid_columns, 4);
  }
  EXPECT_EQ(report.runs[0].prediction.model, ModelKind::Paper);
  EXPECT_EQ(report.runs[5].prediction.model, ModelKind::Simulated);
  EXPECT_EQ(report.runs[5].spec.block_size, 1024);
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
  for (const char* change : {"dgemm=1e-320x", "nic=1e-320Gb", "link=1e-320GB"}) {
    options.nodes = {2};
    options.what_ifs = {change};
    EXPECT_TRUE(refusal_of(options, cluster()).starts_with(message))
        << change << ": " << refusal_of(options, cluster());
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
  options.what_ifs = {"accelerators=1e300"};
  EXPECT_EQ(refusal_of(options, cluster()),
            "--what-if accelerators must be a whole number from 1 to 1000000, found \"1e300\"");
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

TEST(Top500, ReadsTheFieldsThatItNeeds) {
  const auto systems =
      parse_top500("list.csv", std::string(kNames) +
                                   "\"One, two\",H100,128,6423.0,1474560,\"NDR \"\"400\"\"\",\n");
  ASSERT_EQ(systems.size(), 1U);
  EXPECT_EQ(systems[0].name, "One, two");
  EXPECT_EQ(systems[0].interconnect, "NDR \"400\"");
  EXPECT_EQ(systems[0].accelerators, 128);
  EXPECT_EQ(systems[0].order, 1474560);
  EXPECT_DOUBLE_EQ(systems[0].rmax_tflops, 6423);
}

TEST(Top500, SaysWhereTheFileIsWrong) {
  const auto wrong = [](const std::string& text) {
    return test::message_of<ConfigError>(
        [&] { static_cast<void>(parse_top500("list.csv", text)); });
  };
  EXPECT_EQ(wrong(""), "list.csv: must hold a line of names and one for each system, found none");
  EXPECT_EQ(wrong(std::string(kNames) + "a,b\n"),
            "list.csv line 2: must have 7 fields, as the first line, found 2");
  EXPECT_EQ(wrong("name,rank\na,1\n"),
            "list.csv line 2: must have a column accelerator, found none");
  EXPECT_EQ(wrong(std::string(kNames) + "a,H100,0,1,1,NDR,\n"),
            "list.csv line 2, n_acc_derived must be at least 1, found \"0\"");
  EXPECT_EQ(wrong(std::string(kNames) + "a,H100,1,fast,1,NDR,\n"),
            "list.csv line 2, rmax_tf must be a number above 0, found \"fast\"");
}

TEST(Top500, TakesTheNetworkFromItsName) {
  MachineSheet sheet = *cluster().sheet;
  apply_interconnect(sheet, "Octo-rail NVIDIA HDR100 Infiniband");
  EXPECT_EQ(sheet.nics_per_node, 8);
  EXPECT_EQ(sheet.nic_gbits, 100);
  apply_interconnect(sheet, "Quad-Rail NVIDIA InfiniBand NDR200");
  EXPECT_EQ(sheet.nics_per_node, 4);
  EXPECT_EQ(sheet.nic_gbits, 200);
  apply_interconnect(sheet, "carrier pigeons");
  EXPECT_EQ(sheet.nic_gbits, 200);
}

TEST(Top500, PredictsSystemsWithADataSheetAndNamesTheOthers) {
  const auto systems = parse_top500("list.csv", std::string(kNames) +
                                                    "Known,H100,64,2800,540000,NDR400,\n"
                                                    "Unknown,Abacus,64,1,1000,Ethernet,\n");
  std::vector<MachineSheet> sheets{*cluster().sheet};
  sheets[0].listed.names = {"H100"};
  const auto predicted = predict_systems(systems, sheets);
  ASSERT_EQ(predicted.size(), 2U);
  ASSERT_TRUE(predicted[0].run);
  EXPECT_EQ(predicted[0].run->spec.grid_rows, 8);
  EXPECT_LT(predicted[0].least_tflops, predicted[0].run->prediction.tflops());
  EXPECT_FALSE(predicted[1].run);
  EXPECT_EQ(predicted[1].remark, "no data sheet for this accelerator");
  EXPECT_DOUBLE_EQ(median_error(predicted), std::abs(predicted[0].error()));

  // A run that took fewer than the list counts.
  sheets[0].listed.runs = {{"Known", 32, ""}};
  const auto partial = predict_systems(systems, sheets);
  EXPECT_EQ(partial[0].accelerators, 32);
  EXPECT_EQ(partial[0].remark.substr(0, 15), "run on 32 of 64");
  EXPECT_LT(partial[0].run->prediction.tflops(), 0.6 * predicted[0].run->prediction.tflops());
}

TEST(Top500, ShowsTheMedianErrorWithEachRowLeftOut) {
  std::vector<PredictedSystem> systems;
  for (const double listed : {1.0, 1.25, 2.0, 4.0}) {  // errors of 0, 20, 50 and 75 %
    PredictedSystem system{.name = "s", .listed_tflops = listed, .run = PredictedRun{}};
    system.run->prediction.gflops = 1000;
    systems.push_back(system);
  }
  EXPECT_DOUBLE_EQ(median_error(systems), 0.35);
  const std::vector<double> without = median_errors_without_one(systems);
  ASSERT_EQ(without.size(), 4U);
  EXPECT_DOUBLE_EQ(without[0], 0.5);
  EXPECT_DOUBLE_EQ(without[3], 0.2);
  EXPECT_NE(prediction_text({.systems = systems}).find("20.0 to 50.0 % with one of them left out"),
            std::string::npos);
}

TEST(Top500, FactorizesPanelsOnTheHostWhereTheSystemsProgramDoes) {
  const auto systems =
      parse_top500("list.csv", std::string(kNames) + "Known,H100,64,2800,540000,NDR400,\n");
  std::vector<MachineSheet> sheets{*cluster().sheet};
  sheets[0].listed.names = {"H100"};
  EXPECT_TRUE(predict_systems(systems, sheets)[0].run->device_panel);
  sheets[0].listed.host_panels = true;
  EXPECT_FALSE(predict_systems(systems, sheets)[0].run->device_panel);
}

}  // namespace
}  // namespace hpl
