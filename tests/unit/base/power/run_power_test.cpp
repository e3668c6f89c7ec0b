#include "hpl/base/power/run_power.h"

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/base/power/power_level.h"
#include "support/message_of.h"

namespace hpl {
namespace {

/// 100 s from the second 1000 on.
RunPower run() {
  return {.begin = 1000,
          .end = 1100,
          .utc_offset = 0,
          .nodes = 1,
          .components = ComponentPower{"NVML of 1 device", {.watts = 700}, {}, {}}};
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

double joules_of(const std::vector<double>& joules, Phase phase) {
  return joules[static_cast<std::size_t>(phase)];
}

/// 100 W, sampled every tenth of a second from 9 to 21 s.
PowerSeries steady() {
  PowerSeries samples;
  for (int i = 0; i <= 120; ++i)
    samples.push_back({9 + 0.1 * i, 100});
  return samples;
}

TEST(PhaseEnergy, IsPowerOverTheTimeOfItsWork) {
  const std::vector<Span> spans{
      {.track = Track::UpdateStream, .phase = Phase::Multiply, .begin = 0, .end = 2.25},
      {.track = Track::UpdateStream, .phase = Phase::Multiply, .begin = 4, .end = 5},
      {.track = Track::PanelWorker, .phase = Phase::PanelBroadcast, .begin = 1, .end = 3}};
  const auto joules = phase_energies(steady(), 10, spans);
  EXPECT_NEAR(joules_of(joules, Phase::Multiply), 325, 1e-9);
  EXPECT_NEAR(joules_of(joules, Phase::PanelBroadcast), 200, 1e-9);
  EXPECT_EQ(joules_of(joules, Phase::RowSwap), 0);
}

TEST(PhaseEnergy, CountsWorkAtTheSameTimeOnce) {
  const std::vector<Span> spans{
      {.track = Track::UpdateStream, .phase = Phase::Multiply, .begin = 3, .end = 4},
      {.track = Track::SwapStream, .phase = Phase::Multiply, .begin = 1, .end = 3.5},
      {.track = Track::SwapStream, .phase = Phase::Multiply, .begin = 2, .end = 3}};
  EXPECT_NEAR(joules_of(phase_energies(steady(), 10, spans), Phase::Multiply), 300, 1e-9);
}

TEST(PhaseEnergy, OfAWorkerThatSetsAStreamGoingIsNone) {
  const std::vector<Span> spans{
      {.track = Track::UpdateWorker, .phase = Phase::Multiply, .begin = 0, .end = 5}};
  EXPECT_EQ(joules_of(phase_energies(steady(), 10, spans), Phase::Multiply), 0);
}

/// A core phase of ten minutes with a reading each second, of a whole machine before its supplies.
PowerEvidence good() {
  return {
      .averages = {.watts = 50e3, .joules = 30e6, .covered = 1, .samples = 601, .longest_gap = 1},
      .core_seconds = 600,
      .scope = {1.0, PowerSubsystems::All, PowerPlace::Upstream},
      .nodes = 16};
}

int level(const PowerEvidence& evidence) {
  return power_level(power_aspects(evidence));
}

TEST(PowerLevel, OfASampledWholeMachineIsTwo) {
  const auto aspects = power_aspects(good());
  EXPECT_EQ(power_level(aspects), 2);
  EXPECT_EQ(aspects[1].level, 3);
  EXPECT_TRUE(aspects[1].missing.empty());
  EXPECT_NE(aspects[0].missing.find("integrates energy"), std::string::npos);
}

TEST(PowerLevel, NeedsAMinuteTenSamplesAndNoGap) {
  PowerEvidence brief = good();
  brief.core_seconds = 59;
  EXPECT_EQ(level(brief), 0);
  PowerEvidence few = good();
  few.averages.samples = 9;
  EXPECT_EQ(level(few), 0);
  PowerEvidence gap = good();
  gap.averages.longest_gap = 60.5;
  EXPECT_EQ(level(gap), 0);
}

TEST(PowerLevel, TwoNeedsASampleInEveryTenth) {
  PowerEvidence slow = good();
  slow.core_seconds = 300;
  slow.averages.longest_gap = 31;
  EXPECT_EQ(level(slow), 1);
  slow.averages.longest_gap = 30;
  EXPECT_EQ(level(slow), 2);
}

TEST(PowerLevel, OfAPartDependsOnItsSize) {
  PowerEvidence part = good();
  part.scope.fraction = 1.0 / 8;
  part.nodes = 120;
  EXPECT_EQ(level(part), 2);
  part.averages.watts = 9e3;
  EXPECT_EQ(level(part), 1);
  part.nodes = 119;
  EXPECT_EQ(level(part), 0);
}

TEST(PowerLevel, IsThatOfTheLowestAspect) {
  PowerEvidence evidence = good();
  evidence.scope.subsystems = PowerSubsystems::Compute;
  EXPECT_EQ(level(evidence), 1);
  evidence.scope.place = PowerPlace::Downstream;
  EXPECT_EQ(level(evidence), 0);
}

TEST(PowerLevel, OfComponentsIsNone) {
  PowerEvidence evidence = good();
  evidence.scope = {.place = PowerPlace::Component};
  const auto aspects = power_aspects(evidence);
  EXPECT_EQ(power_level(aspects), 0);
  EXPECT_NE(aspects[3].missing.find("component power"), std::string::npos);
}

TEST(PowerScope, IsReadAndShownInTheSameWords) {
  const PowerScope scope =
      parse_power_scope("--power-scope", "fraction=16/128,subsystems=all,place=upstream");
  EXPECT_DOUBLE_EQ(*scope.fraction, 0.125);
  EXPECT_EQ(to_string(scope), "fraction=0.125,subsystems=all,place=upstream");
  EXPECT_EQ(parse_power_scope("--power-scope", to_string(scope)), scope);
  EXPECT_EQ(to_string(PowerScope{}), "");
}

TEST(PowerScope, RefusesOtherWords) {
  for (const char* text : {"", "all", "fraction=0", "fraction=2", "fraction=3/2", "fraction=",
                           "subsystems=some", "place=here", "place=upstream,", "fraction=1/0"})
    EXPECT_TRUE(test::message_of<ConfigError>([&] {
                  parse_power_scope("--power-scope", text);
                }).starts_with("--power-scope"))
        << text;
}

}  // namespace
}  // namespace hpl
