#include "hpl/base/power/power_level.h"

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"

namespace hpl {
namespace {

/// A core phase of ten minutes with a reading each second, of a whole machine before its supplies.
PowerEvidence good() {
  return {.averages = {.watts = 50e3,
                       .joules = 30e6,
                       .covered = 1,
                       .tenths = {},
                       .samples = 601,
                       .longest_gap = 1},
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
  evidence.scope = {.fraction = {}, .place = PowerPlace::Component};
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
                           "subsystems=some", "place=here", "place=upstream,", "fraction=1/0"}) {
    try {
      parse_power_scope("--power-scope", text);
      ADD_FAILURE() << text;
    } catch (const ConfigError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("--power-scope", 0), 0U) << error.what();
    }
  }
}

}  // namespace
}  // namespace hpl
