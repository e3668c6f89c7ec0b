#include "hpl/base/power/run_power.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

/// 100 s from the second 1000 on.
RunPower run() {
  return {.begin = 1000,
          .end = 1100,
          .utc_offset = 0,
          .nodes = 1,
          .components = ComponentPower{"NVML of 1 device", {.watts = 700}, {}, {}},
          .meter = {}};
}

PowerSeries readings(double from, double to, double apart) {
  PowerSeries samples;
  for (double t = from; t <= to; t += apart)
    samples.push_back({t, 1000});
  return samples;
}

TEST(RunPower, TheMeterCountsBeforeTheComponents) {
  RunPower power = run();
  EXPECT_EQ(best_averages(power)->watts, 700);
  EXPECT_EQ(power_evidence(power)->scope.place, PowerPlace::Component);
  power.meter = meter_power(power, "pdu", readings(990, 1110, 1),
                            {.fraction = 1.0, .place = PowerPlace::Upstream});
  EXPECT_EQ(best_averages(power)->watts, 1000);
  EXPECT_EQ(power_evidence(power)->scope.place, PowerPlace::Upstream);
}

TEST(RunPower, AMeterWithoutAReadingLeavesTheComponents) {
  RunPower power = run();
  power.meter = meter_power(power, "pdu", readings(1200, 1300, 1), {});
  EXPECT_EQ(best_averages(power)->watts, 700);
  const auto remarks = meter_remarks(*power.meter, power.seconds(), 1);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0], "no reading in the core phase");
}

TEST(MeterPower, CountsItsTraceFromTheCorePhase) {
  const MeterPower meter = meter_power(run(), "pdu", readings(990, 1110, 0.5), {});
  ASSERT_FALSE(meter.trace.empty());
  EXPECT_EQ(meter.trace.size(), 102U);
  EXPECT_EQ(meter.trace.front().seconds, -0.5);
  EXPECT_DOUBLE_EQ(meter.averages->joules, 100e3);
}

TEST(MeterRemarks, SayNothingOfAGoodMeter) {
  EXPECT_TRUE(meter_remarks(meter_power(run(), "pdu", readings(999, 1101, 1), {}), 100, 1).empty());
}

TEST(MeterRemarks, SayWhatIsMissingOrLate) {
  const auto stopped = meter_remarks(meter_power(run(), "pdu", readings(999, 1040, 1), {}), 100, 0);
  ASSERT_EQ(stopped.size(), 1U);
  EXPECT_NE(stopped[0].find("40.0 of 100.0 s"), std::string::npos) << stopped[0];
  const auto late = meter_remarks(meter_power(run(), "pdu", readings(999, 1110, 5), {}), 100, 1);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_NE(late[0].find("up to 5.0 s apart"), std::string::npos) << late[0];
}

}  // namespace
}  // namespace hpl
