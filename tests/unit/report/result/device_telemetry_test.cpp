#include "hpl/report/result/device_telemetry.h"
#include "hpl/base/record/record.h"

#include <sstream>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hpl/run/report/json_report.h"
#include "hpl/run/report/text_report.h"
#include "unit/report/fixed_results.h"

namespace hpl {
namespace {

using nlohmann::json;

/// Rank r on device r % 4 of its host of four; nothing to find.
DeviceTelemetry quiet_device(int rank) {
  return {.rank = rank,
          .host = "node0" + std::to_string(1 + rank / 4),
          .backend = "cuda",
          .device_index = rank % 4,
          .device = "NVIDIA H200",
          .sensors = {.samples = 100,
                      .clock_mhz = SensorRange{1500, 1700, 1980},
                      .power_watts = SensorRange{300, 650, 702},
                      .temperature_celsius = SensorRange{50, 60, 66},
                      .energy_joules = 6500.0}};
}

std::vector<DeviceTelemetry> quiet_devices(int count) {
  std::vector<DeviceTelemetry> devices;
  for (int rank = 0; rank < count; ++rank)
    devices.push_back(quiet_device(rank));
  return devices;
}

RunResult run_with(std::vector<DeviceTelemetry> devices) {
  RunResult run = test::passing_run();
  run.gflops = 130000;
  run.devices = std::move(devices);
  return run;
}

std::string text_of(const RunResult& run) {
  std::ostringstream out;
  TextReport(out).run(run);
  return out.str();
}

TEST(DeviceTelemetry, ComesBackFromAMessageAsItWas) {
  DeviceTelemetry sent = quiet_device(5);
  sent.sensors.throttle_reasons = {{"power cap", 0.75}};
  sent.sensors.temperature_celsius.reset();
  sent.sensors.core_power = PowerAverages{.watts = 500,
                                          .joules = 1250,
                                          .covered = 0.75,
                                          .tenths = {510, std::nullopt, 490},
                                          .samples = 26,
                                          .longest_gap = 0.25};
  sent.sensors.phase_joules = {100, 0, 300};
  EXPECT_EQ(
      to_json_value(unpack<DeviceTelemetry>(pack(sent))).dump(),
      R"({"rank":5,"host":"node02","backend":"cuda","device_index":1,"device":"NVIDIA H200",)"
      R"("samples":100,"clock_mhz":{"minimum":1500.0,"mean":1700.0,"maximum":1980.0},)"
      R"("power_watts":{"minimum":300.0,"mean":650.0,"maximum":702.0},"temperature_celsius":null,)"
      R"("energy_joules":6500.0,"throttle_reasons":[{"reason":"power cap","share":0.75}],)"
      R"("core_power":{"average_watts":500.0,"energy_joules":1250.0,"covered":0.75,)"
      R"("tenth_watts":[510.0,null,490.0],"samples":26,"longest_gap_seconds":0.25},)"
      R"("corrected_errors":null,"uncorrected_errors":null,)"
      R"("events":{"counts":{},"driver_errors":[],"seconds":0.0},"phase_joules":)"
      R"({"panel factorization":100.0,"panel pivot exchange":0.0,"panel broadcast":300.0}})");
}

TEST(DeviceFindings, AreNoneOfQuietDevices) {
  EXPECT_TRUE(device_findings(quiet_devices(8)).empty());
  EXPECT_TRUE(device_findings({}).empty());
}

TEST(DeviceFindings, NameTheThrottledDeviceAndWhy) {
  auto devices = quiet_devices(8);
  devices[5].sensors.throttle_reasons = {{"hardware thermal slowdown", 0.12}};
  EXPECT_EQ(device_findings(devices),
            (std::vector<std::string>{"throttled, hardware thermal slowdown: rank 5 on node02, "
                                      "cuda 1 (12 % of the samples)"}));
}

TEST(DeviceFindings, SayAllWhereAReasonHoldsForEveryDevice) {
  auto devices = quiet_devices(8);
  for (DeviceTelemetry& device : devices)
    device.sensors.throttle_reasons = {{"power brake", 0.9 + 0.01 * device.rank}};
  EXPECT_EQ(device_findings(devices),
            (std::vector<std::string>{
                "throttled, power brake: all 8 devices (90 to 97 % of the samples)"}));
}

TEST(DeviceFindings, SayNothingOfAPowerCapThatAllDevicesHave) {
  for (const int count : {1, 8}) {
    auto devices = quiet_devices(count);
    for (DeviceTelemetry& device : devices)
      device.sensors.throttle_reasons = {{"power cap", 0.9 + 0.01 * device.rank}};
    EXPECT_TRUE(device_findings(devices).empty());
  }
  auto devices = quiet_devices(8);
  devices[3].sensors.throttle_reasons = {{"power cap", 0.5}};
  EXPECT_EQ(device_findings(devices),
            (std::vector<std::string>{
                "throttled, power cap: rank 3 on node01, cuda 3 (50 % of the samples)"}));
}

TEST(DeviceFindings, NameTheHotDeviceOnlyAboveTheLimit) {
  auto devices = quiet_devices(3);
  devices[1].sensors.temperature_celsius->maximum = 85;
  devices[2].sensors.temperature_celsius->maximum = 91;
  EXPECT_EQ(device_findings(devices),
            (std::vector<std::string>{"hotter than 85 C: rank 2 on node01, cuda 2 (91 C)"}));
}

TEST(DeviceFindings, NameTheDeviceWhoseClockIsBelowTheMedian) {
  auto devices = quiet_devices(4);
  devices[1].sensors.clock_mhz->mean = 1650;  // 2.9 % below
  devices[3].sensors.clock_mhz->mean = 1640;  // 3.1 % below the median of 1675..1700
  devices[0].sensors.clock_mhz->mean = 1700;
  EXPECT_EQ(device_findings(devices), (std::vector<std::string>{}));
  devices[1].sensors.clock_mhz->mean = 1700;
  EXPECT_EQ(device_findings(devices),
            (std::vector<std::string>{"clock more than 3 % below the median of 1700 MHz: rank 3 "
                                      "on node01, cuda 3 (1640 MHz)"}));
}

TEST(DeviceFindings, ShortenALongList) {
  auto devices = quiet_devices(40);
  for (int rank = 0; rank < 20; ++rank)
    devices[static_cast<std::size_t>(rank)].sensors.throttle_reasons = {{"power brake", 1.0}};
  const auto findings = device_findings(devices);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_TRUE(findings[0].ends_with("; and 12 more")) << findings[0];
}

TEST(GflopsPerWatt, CountsADeviceThatRanksShareOnce) {
  auto devices = quiet_devices(2);
  DeviceTelemetry same = devices[1];
  same.rank = 2;
  devices.push_back(same);
  EXPECT_EQ(gflops_per_watt(run_with(devices)), 100.0);
}

TEST(GflopsPerWatt, IsUnknownUnlessEveryDeviceShowsItsPower) {
  auto devices = quiet_devices(2);
  devices[1].sensors.power_watts.reset();
  EXPECT_FALSE(gflops_per_watt(run_with(devices)));
  EXPECT_FALSE(gflops_per_watt(run_with({})));
}

TEST(DeviceBlock, ShowsMeanAndExtremesOverTheDevicesAndNamesTheHotOne) {
  auto devices = quiet_devices(2);
  devices[1].sensors.clock_mhz = SensorRange{1410, 1720, 1800};
  devices[1].sensors.temperature_celsius = SensorRange{70, 80, 90};
  const std::string text = text_of(run_with(devices));
  EXPECT_NE(text.find("# sensor            mean     min     max  devices\n"
                      "# clock, MHz      1710.0  1410.0  1980.0        2\n"
                      "# power, W         650.0   300.0   702.0        2\n"
                      "# temperature, C    70.0    50.0    90.0        2\n"
                      "# efficiency: 100.000 GFLOP/s per watt, 1300.0 W in all\n"
                      "# device: hotter than 85 C: rank 1 on node01, cuda 1 (90 C)\n"),
            std::string::npos)
      << text;
}

TEST(DeviceBlock, IsAbsentWithoutSensors) {
  DeviceTelemetry blind = quiet_device(0);
  blind.sensors = {.samples = 100};
  EXPECT_EQ(text_of(run_with({blind})), text_of(run_with({})));
}

TEST(DeviceDocument, HoldsSensorsFindingsAndEfficiency) {
  auto devices = quiet_devices(2);
  devices[1].sensors.throttle_reasons = {{"power cap", 0.5}};
  JobReport job;
  job.runs = {run_with(devices)};
  const json run = json::parse(to_json(job))["runs"][0];
  EXPECT_EQ(run["gflops_per_watt"], 100.0);
  EXPECT_EQ(run["devices"][1]["clock_mhz"]["minimum"], 1500.0);
  EXPECT_EQ(run["devices"][1]["throttle_reasons"][0]["share"], 0.5);
  EXPECT_EQ(run["device_findings"].size(), 1U);
}

TEST(ComponentPower, IsTheSumOfAllDevicesOnce) {
  auto devices = quiet_devices(3);
  for (DeviceTelemetry& device : devices)
    device.sensors.core_power = PowerAverages{.watts = 100.0 + device.rank,
                                              .joules = 1000,
                                              .covered = 1 - 0.1 * device.rank,
                                              .tenths = {10, 20},
                                              .samples = 30 - device.rank,
                                              .longest_gap = 0.1 * device.rank};
  devices[1].sensors.core_power->tenths[1].reset();
  devices.push_back(devices[0]);  // a second rank on the device of the first
  const auto power = component_power(devices);
  ASSERT_TRUE(power);
  EXPECT_EQ(power->sensors, "NVML of 3 devices");
  EXPECT_EQ(power->averages.watts, 303);
  EXPECT_EQ(power->averages.joules, 3000);
  EXPECT_EQ(power->averages.covered, 0.8);
  EXPECT_EQ(power->averages.samples, 28);
  EXPECT_EQ(power->averages.longest_gap, 0.2);
  EXPECT_EQ(power->averages.tenths, (std::vector<std::optional<double>>{30, std::nullopt}));
  EXPECT_EQ(node_count(devices), 1);
}

TEST(ComponentPower, NeedsASensorOfEachDevice) {
  auto devices = quiet_devices(2);
  devices[0].sensors.core_power = PowerAverages{.watts = 100};
  EXPECT_FALSE(component_power(devices));
  EXPECT_FALSE(component_power({}));
}

}  // namespace
}  // namespace hpl
