#include "hpl/job/live/telemetry_sampler.h"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

namespace hpl {
namespace {

using namespace std::chrono_literals;

hpcx::TelemetrySample sample_of(double clock, double power, double temperature) {
  return {.clock_mhz = clock, .power_watts = power, .temperature_celsius = temperature};
}

TEST(TelemetryStatistics, HoldExtremesAndMeans) {
  TelemetryStatistics statistics;
  statistics.add(10.0, sample_of(1500, 600, 60));
  statistics.add(10.5, sample_of(1800, 700, 64));
  statistics.add(11.0, sample_of(1200, 600, 62));
  const TelemetrySummary summary = statistics.summary();
  EXPECT_EQ(summary.samples, 3);
  EXPECT_EQ(summary.clock_mhz->mean, 1500);
  EXPECT_EQ(summary.clock_mhz->minimum, 1200);
  EXPECT_EQ(summary.clock_mhz->maximum, 1800);
  EXPECT_EQ(summary.temperature_celsius->mean, 62);
  EXPECT_EQ(summary.temperature_celsius->maximum, 64);
  EXPECT_EQ(summary.power_watts->maximum, 700);
}

TEST(TelemetryStatistics, WeighPowerByTime) {
  TelemetryStatistics statistics;
  statistics.add(0.0, sample_of(1, 100, 1));
  statistics.add(1.0, sample_of(1, 100, 1));
  statistics.add(9.0, sample_of(1, 500, 1));
  const TelemetrySummary summary = statistics.summary();
  EXPECT_DOUBLE_EQ(*summary.energy_joules, 100 + 8 * 300);
  EXPECT_DOUBLE_EQ(summary.power_watts->mean, 2500.0 / 9);
}

TEST(TelemetryStatistics, KnowNoEnergyFromASinglePowerSample) {
  TelemetryStatistics statistics;
  statistics.add(0.0, {});
  statistics.add(1.0, sample_of(1, 100, 1));
  const TelemetrySummary summary = statistics.summary();
  EXPECT_FALSE(summary.energy_joules);
  EXPECT_EQ(summary.power_watts->mean, 100);
}

TEST(TelemetryStatistics, CountTheShareOfSamplesThatShowAReason) {
  TelemetryStatistics statistics;
  hpcx::TelemetrySample capped;
  capped.throttle_reasons = {"power cap"};
  for (int i = 0; i < 3; ++i)
    statistics.add(i, capped);
  capped.throttle_reasons.emplace_back("power brake");
  statistics.add(3, capped);
  const auto reasons = statistics.summary().throttle_reasons;
  ASSERT_EQ(reasons.size(), 2U);
  EXPECT_EQ(reasons[0].reason, "power brake");
  EXPECT_EQ(reasons[0].share, 0.25);
  EXPECT_EQ(reasons[1].reason, "power cap");
  EXPECT_EQ(reasons[1].share, 1.0);
}

TEST(TelemetryStatistics, LeaveOutWhatHasNoSensor) {
  TelemetryStatistics statistics;
  statistics.add(0, {});
  const TelemetrySummary summary = statistics.summary();
  EXPECT_EQ(summary.samples, 1);
  EXPECT_FALSE(summary.clock_mhz);
  EXPECT_FALSE(summary.power_watts);
  EXPECT_FALSE(summary.temperature_celsius);
}

class CountingSensors final : public hpcx::Telemetry {
 public:
  hpcx::TelemetrySample sample() override { return sample_of(1000.0 + calls++, 100, 50); }
  std::atomic<int> calls{0};
};

TEST(TelemetrySampler, SamplesAgainAndAgainUntilItIsFinished) {
  CountingSensors sensors;
  TelemetrySampler sampler(sensors, 1ms);
  while (sensors.calls < 5)
    std::this_thread::sleep_for(1ms);
  const TelemetrySummary summary = sampler.finish();
  const int calls = sensors.calls;
  EXPECT_EQ(summary.samples, calls);
  EXPECT_EQ(summary.clock_mhz->minimum, 1000);
  EXPECT_EQ(summary.clock_mhz->maximum, 1000 + calls - 1);
  EXPECT_EQ(sampler.finish().samples, calls);
}

TEST(TelemetrySampler, SamplesStartAndEndOfARunShorterThanItsPeriod) {
  CountingSensors sensors;
  TelemetrySampler sampler(sensors, std::chrono::hours(1));
  EXPECT_EQ(sensors.calls, 1);  // before the clock of the run, not beside it
  EXPECT_EQ(sampler.finish().samples, 2);
}

TEST(TelemetrySampler, TellsItsNewestSampleMeanwhile) {
  CountingSensors sensors;
  TelemetrySampler sampler(sensors, 1ms);
  while (sensors.calls < 3)
    std::this_thread::sleep_for(1ms);
  EXPECT_GE(sampler.latest().clock_mhz.value(), 1001);
}

TEST(TelemetrySampler, EndsByItselfWhenTheRunThrows) {
  CountingSensors sensors;
  EXPECT_THROW(
      {
        const TelemetrySampler sampler(sensors, std::chrono::hours(1));
        throw std::runtime_error("the run");
      },
      std::runtime_error);
}

class FailingMemory final : public hpcx::Telemetry {
 public:
  hpcx::TelemetrySample sample() override { return {}; }
  hpcx::DeviceHealth health() override {
    hpcx::DeviceHealth health;
    health.corrected_errors = errors += 2;
    return health;
  }
  hpcx::EventCounts events() override { return {.counts = {{"pcie_replays", errors}}}; }
  int errors = 3;
};

TEST(TelemetrySampler, CountsMemoryErrorsThatAroseMeanwhile) {
  FailingMemory memory;
  TelemetrySampler sampler(memory, std::chrono::hours(1));
  const TelemetrySummary summary = sampler.finish();
  EXPECT_EQ(summary.corrected_errors, 2);
  ASSERT_EQ(summary.events.counts.size(), 1U);
  EXPECT_EQ(summary.events.counts[0].second, 2);
  EXPECT_EQ(summary.uncorrected_errors, std::nullopt) << "the device does not tell";
}

class ThrowingSensors final : public hpcx::Telemetry {
 public:
  hpcx::TelemetrySample sample() override { throw std::runtime_error("sensor"); }
};

TEST(TelemetrySampler, TreatsSensorsThatThrowAsAbsent) {
  ThrowingSensors sensors;
  TelemetrySampler sampler(sensors, 1ms);
  EXPECT_EQ(sampler.finish().samples, 0);
}

}  // namespace
}  // namespace hpl
