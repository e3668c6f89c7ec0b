#include <fmt/format.h>
#include <gtest/gtest.h>

#include "commands/report/power_merge.h"
#include "hpl/base/error/error.h"
#include "hpl/page/page.h"
#include "hpl/run/page/run_findings.h"
#include "support/holds.h"
#include "support/message_of.h"
#include "unit/page/sample_job.h"
#include "unit/page/visible_text.h"

namespace hpl::page {
namespace {

RunFile file_of(const RunResult& run) {
  JobReport job = test::sample_job();
  job.runs = {run};
  return test::sample_file(job);
}

RunResult metered_run() {
  RunResult run = test::passing_run();
  run.power = test::metered_power();
  return run;
}

/// A meter that shows 1000 W every second of a time that counts from the begin of passing_run(), by
/// a clock that is `late` seconds behind.
std::string log_of(int from, int to, int late = 0) {
  std::string log;
  for (int t = from; t <= to; ++t)
    log += fmt::format("{},1000\n", 1767412800 + t + late);
  return log;
}

TEST(PowerOfAFile, IsThatOfTheReport) {
  const RunFile file = file_of(metered_run());
  ASSERT_TRUE(file.job.runs[0].power);
  const RunPower& power = *file.job.runs[0].power;
  EXPECT_EQ(power.begin, 1767412800);
  EXPECT_EQ(power.end, 1767412802.5);
  EXPECT_EQ(power.utc_offset, 3600);
  ASSERT_TRUE(power.components);
  EXPECT_EQ(power.components->sensors, "NVML of 2 devices");
  EXPECT_EQ(power.components->averages.joules, 1250);
  EXPECT_FALSE(power.components->averages.tenths[3]);
  EXPECT_EQ(power.components->trace.size(), 3U);
  ASSERT_TRUE(power.meter);
  EXPECT_EQ(power.meter->scope.fraction, 1.0);
  EXPECT_EQ(power.meter->averages->watts, 600);
  EXPECT_EQ(power.meter->complaints, (std::vector<std::string>{"3 lines were no number"}));
}

TEST(PowerOfAFile, WithoutOneHasTheCorePhaseOfItsStart) {
  const RunFile file = file_of(test::passing_run());
  ASSERT_TRUE(file.job.runs[0].power);
  EXPECT_EQ(file.job.runs[0].power->begin, 1767412800);
  EXPECT_EQ(file.job.runs[0].power->seconds(), 2.5);
  EXPECT_FALSE(file.job.runs[0].power->components);
}

TEST(PowerLogOfARun, TakesThePlaceOfItsMeter) {
  RunResult run = metered_run();
  run.seconds = 100;
  run.power->end = run.power->begin + 100;
  RunFile file = file_of(run);
  const std::string log = log_of(-5, 105);
  add_power_log(
      {&file, 1},
      {.name = "pdu.csv", .text = log, .scope = {1.0, PowerSubsystems::All, PowerPlace::Upstream}});
  const MeterPower& meter = *file.job.runs[0].power->meter;
  EXPECT_EQ(meter.source, "pdu.csv");
  EXPECT_DOUBLE_EQ(meter.averages->joules, 100e3);
  EXPECT_TRUE(meter.complaints.empty());
  EXPECT_EQ(power_level(power_aspects(*power_evidence(*file.job.runs[0].power))), 2);
  EXPECT_NE(test::visible_text(build_page({&file, 1}, {})).find("meter: pdu.csv"),
            std::string::npos);
}

TEST(PowerLogOfARun, ThatEndsEarlySaysSoOnce) {
  RunResult run = metered_run();
  run.power->end = run.power->begin + 100;
  RunFile file = file_of(run);
  const std::string log = log_of(-5, 60) + "off\noff\n";
  add_power_log({&file, 1}, {.name = "pdu.csv", .text = log});
  ASSERT_EQ(file.job.runs[0].power->meter->complaints.size(), 2U);
  const auto findings = findings_of(file.job.runs[0]);
  EXPECT_EQ(std::ranges::count_if(
                findings, [](const std::string& one) { return one.starts_with("power meter: "); }),
            2);
}

TEST(PowerLogOfARun, OfAnotherTimeIsRefusedWithBothTimes) {
  RunFile file = file_of(metered_run());
  const std::string log = log_of(-5, 105, 3600);
  EXPECT_TRUE(test::holds(test::message_of<ConfigError>([&] {
                            add_power_log({&file, 1}, {.name = "pdu.csv", .text = log});
                          }),
                          {"pdu.csv: ", "2026-01-03T04:00:00.000+00:00",
                           "2026-01-03T04:59:55.000+00:00", "--power-offset"}));
}

TEST(Findings, SayNothingOfAPowerCapThatAllDevicesHave) {
  RunResult run = test::cluster_run(2);
  run.rank_phases.back() = run.rank_phases.front();
  run.devices.back().sensors = run.devices.front().sensors;
  for (DeviceTelemetry& device : run.devices)
    device.sensors.throttle_reasons = {{"power cap", 0.95}};
  EXPECT_TRUE(findings_of(run).empty());
  run.devices.back().sensors.throttle_reasons.clear();
  EXPECT_EQ(findings_of(run).size(), 1U);
}

}  // namespace
}  // namespace hpl::page
