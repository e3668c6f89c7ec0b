#include "hpl/plan/sheet_expectation.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/machine/model/machine_sheet.h"
#include "unit/machine/model/made_up_machine.h"

namespace hpl {
namespace {

using test::spec_of;

std::vector<DeviceTelemetry> devices_of(const std::string& model, int count, int per_host = 8) {
  std::vector<DeviceTelemetry> devices;
  for (int rank = 0; rank < count; ++rank)
    devices.push_back({.rank = rank,
                       .host = "node" + std::to_string(rank / per_host),
                       .backend = "cuda",
                       .device_index = rank % per_host,
                       .device = model});
  return devices;
}

/// As a job with GPUs decides.
RunSettings settings_of(const RunSpec& spec, const Wishes& wishes = {}) {
  Facts facts{.kind = ProcessorKind::Gpu,
              .shares_host_memory = false,
              .factorizes_panels = true,
              .threads = 14,
              .cores = 14,
              .ranks_per_node = 8};
  facts.memory.device.bytes = 140'000'000'000;
  facts.memory.host.bytes = 1'000'000'000'000;
  return decide(spec, facts, wishes);
}

std::optional<ExpectedRun> expected(const RunSpec& spec, const std::string& model,
                                    const Wishes& wishes = {}) {
  return expected_by_sheet(spec, settings_of(spec, wishes),
                           devices_of(model, spec.grid_rows * spec.grid_columns));
}

/// A measured rate is inside, and the interval is narrow enough to say something.
void expect_inside(const std::optional<ExpectedRun>& expected, double tflops) {
  ASSERT_TRUE(expected);
  EXPECT_LT(expected->least_gflops(), 1e3 * tflops);
  EXPECT_GT(expected->most_gflops(), 1e3 * tflops);
  EXPECT_LT(expected->most_gflops() - expected->least_gflops(), 0.14 * expected->gflops);
}

// Measured by this program.
TEST(SheetExpectation, HoldsWhatWasMeasuredOnH200AndH100) {
  expect_inside(expected(spec_of(131072, 2048), "NVIDIA H200"), 54.6);
  expect_inside(expected(spec_of(131072, 2048), "NVIDIA H200"), 52.8);
  expect_inside(expected(spec_of(129024, 1024), "NVIDIA H200"), 51.6);
  expect_inside(expected(spec_of(32768, 1024), "NVIDIA H200"), 45.4);
  expect_inside(expected(spec_of(182784, 2048, 1, 2), "NVIDIA H200"), 106.6);
  expect_inside(expected(spec_of(258048, 1536, 2, 2), "NVIDIA H200"), 206.6);
  expect_inside(expected(spec_of(96256, 2048), "NVIDIA H100 80GB HBM3"), 51.8);
  EXPECT_EQ(expected(spec_of(131072, 2048), "NVIDIA H200")->sheet, "NVIDIA H200 SXM 141 GB");
}

TEST(SheetExpectation, IsWiderWhereTheSheetKnowsLess) {
  const auto share = [](const std::optional<ExpectedRun>& of) {
    return of->error_seconds / of->seconds;
  };
  const RunSpec spec = spec_of(65536, 1024);
  const double measured = share(expected(spec, "NVIDIA H200"));
  EXPECT_NEAR(measured, std::hypot(0.04, 0.03, 0.01), 0.004);
  EXPECT_GT(share(expected(spec, "NVIDIA A100-SXM4-80GB")), measured + 0.01);
  EXPECT_GT(share(expected(spec, "NVIDIA B200")), measured + 0.03);
}

TEST(SheetExpectation, CountsTheNodesOfTheRun) {
  const RunSpec spec = spec_of(200000, 1024, 2, 4);
  const RunSettings settings = settings_of(spec);
  const auto one = expected_by_sheet(spec, settings, devices_of("NVIDIA H200", 8, 8));
  const auto eight = expected_by_sheet(spec, settings, devices_of("NVIDIA H200", 8, 1));
  ASSERT_TRUE(one && eight);
  EXPECT_GT(one->gflops, eight->gflops);
}

TEST(SheetExpectation, IsNoneOfAnUnknownDevice) {
  for (const char* model : {"", "NVIDIA H200 NVL", "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "CPU"})
    EXPECT_FALSE(expected(spec_of(65536, 1024), model)) << model;
  EXPECT_FALSE(expected_by_sheet(spec_of(65536, 1024), settings_of(spec_of(65536, 1024)), {}));
}

TEST(SheetExpectation, IsNoneOfARunThatTheSheetDoesNotDescribe) {
  const std::string model = "NVIDIA H200";
  RunSpec spec = spec_of(65536, 1024);
  ASSERT_TRUE(expected(spec, model));
  EXPECT_FALSE(expected(spec, model, {.panel = PanelRequest::Host}));
  EXPECT_FALSE(expected(spec, model, {.stop_after = 0.2}));
  EXPECT_FALSE(expected(spec_of(0, 1024), model));
  EXPECT_FALSE(expected(spec_of(3000, 512), model)) << "nothing but overhead";
  RunSpec emulated = spec, with_sums = spec, mixed = make_mixed(spec, MixedSpec());
  emulated.emulated_moduli = 14;
  with_sums.checksums = true;
  const RunSettings settings = settings_of(spec);
  const auto devices = devices_of(model, 1);
  EXPECT_FALSE(expected_by_sheet(emulated, settings, devices));
  EXPECT_FALSE(expected_by_sheet(with_sums, settings, devices));
  EXPECT_FALSE(expected_by_sheet(mixed, settings, devices));
  RunSettings visited = settings;
  visited.stages.schedule.visits.resident_columns = 32768;
  EXPECT_FALSE(expected_by_sheet(spec, visited, devices)) << "columns in host memory";
}

TEST(SheetExpectation, IsNoneOfSharedOrDifferentDevices) {
  const RunSpec spec = spec_of(65536, 1024, 1, 2);
  const RunSettings settings = settings_of(spec);
  std::vector<DeviceTelemetry> devices = devices_of("NVIDIA H200", 2);
  ASSERT_TRUE(expected_by_sheet(spec, settings, devices));
  devices[1].device = "NVIDIA H100 80GB HBM3";
  EXPECT_FALSE(expected_by_sheet(spec, settings, devices));
  devices = devices_of("NVIDIA H200", 2);
  devices[1].device_index = 0;
  EXPECT_FALSE(expected_by_sheet(spec, settings, devices));
}

// Weights follow measured rates; the sheet's chips are all alike.
TEST(SheetExpectation, DoesNotFollowTheDistributionOfBlocks) {
  const RunSpec even = spec_of(65536, 1024, 1, 2);
  RunSpec uneven = even;
  uneven.column_weights = {1, 0.8};
  EXPECT_DOUBLE_EQ(expected(even, "NVIDIA H200")->gflops, expected(uneven, "NVIDIA H200")->gflops);
}

TEST(RatesBySheet, AreOfAsManyRanksAndNodesAndOfNoUnknownDevice) {
  const auto rates = rates_by_sheet("NVIDIA H200", 24, 6);
  ASSERT_TRUE(rates);
  EXPECT_EQ(rates->ranks, 24);
  EXPECT_EQ(rates->ranks_per_node, 4);
  EXPECT_EQ(rates->kind, ProcessorKind::Gpu);
  EXPECT_EQ(rates_by_sheet("NVIDIA H200", 7, 3)->ranks_per_node, 3);
  EXPECT_FALSE(rates_by_sheet("a processor", 4, 1));
}

}  // namespace
}  // namespace hpl
