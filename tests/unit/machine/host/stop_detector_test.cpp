#include "hpl/machine/host/stop_detector.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

using namespace std::chrono_literals;
using Clock = StopDetector::Clock;

constexpr Clock::time_point kBegin{};

/// Looks every 100 ms from the one time to the other.
void look_all_the_time(StopDetector& stops, Clock::duration from, Clock::duration to) {
  for (auto at = from; at <= to; at += 100ms)
    stops.look(kBegin + at);
}

TEST(StopDetector, ARankThatWasNeverStoppedCountsAllOfASilence) {
  StopDetector stops(kBegin);
  look_all_the_time(stops, 0s, 20s);
  stops.look(kBegin + 20900ms);  // a crowded machine
  EXPECT_EQ(stops.counted(20s, kBegin + 20900ms), 20s);
  EXPECT_FALSE(stops.just_let_go(kBegin + 20900ms));
}

TEST(StopDetector, TheTimeOfAStopIsNoSilenceOfTheOthers) {
  StopDetector stops(kBegin);
  look_all_the_time(stops, 0s, 1s);
  stops.look(kBegin + 9s);
  EXPECT_EQ(stops.counted(9s, kBegin + 9s), 0s);
  // The launcher has the time to say that it ends the rank.
  look_all_the_time(stops, 9s, 10400ms);
  EXPECT_EQ(stops.counted(10400ms, kBegin + 10400ms), 0s);
  EXPECT_TRUE(stops.just_let_go(kBegin + 10400ms));
  // Then the clock goes again, and a later signal has nothing to do with the stop.
  look_all_the_time(stops, 10500ms, 14500ms);
  EXPECT_EQ(stops.counted(14500ms, kBegin + 14500ms), 4s);
  EXPECT_FALSE(stops.just_let_go(kBegin + 14500ms));
}

TEST(StopDetector, ASilenceThatBeganAfterTheStopCountsAsItIs) {
  StopDetector stops(kBegin);
  stops.look(kBegin + 5s);
  look_all_the_time(stops, 5s, 20s);
  EXPECT_EQ(stops.counted(3s, kBegin + 20s), 3s);
}

TEST(StopDetector, EveryStopCounts) {
  StopDetector stops(kBegin);
  stops.look(kBegin + 5s);
  look_all_the_time(stops, 5s, 20s);
  stops.look(kBegin + 30s);
  EXPECT_EQ(stops.counted(30s, kBegin + 30s), 0s);
  EXPECT_TRUE(stops.just_let_go(kBegin + 30s));
}

}  // namespace
}  // namespace hpl
