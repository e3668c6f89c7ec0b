#include "check/probes/clock_offset.h"

#include <array>

#include <gtest/gtest.h>

namespace hpl {
namespace {

constexpr std::int64_t kNow = 1'767'412'800'000'000'000;  // some day in 2026

TEST(ClockOffset, IsTheDifferenceWhereBothWaysTakeEquallyLong) {
  // This clock is 250 ms ahead; each way takes 2 us.
  const ClockTrip trip{kNow + 250'000'000, kNow + 2'000, kNow + 250'004'000};
  EXPECT_NEAR(clock_offset(std::array{trip}), 0.25, 1e-9);
}

TEST(ClockOffset, IsNegativeForAClockThatIsBehind) {
  const ClockTrip trip{kNow - 1'000, kNow, kNow - 999};
  EXPECT_NEAR(clock_offset(std::array{trip}), -999.5e-9, 1e-9);
}

TEST(ClockOffset, GoesByTheFastestTrip) {
  const std::array trips{ClockTrip{kNow, kNow + 900'000, kNow + 1'000'000},  // waited for its turn
                         ClockTrip{kNow, kNow + 5'000, kNow + 10'000},
                         ClockTrip{kNow, kNow, kNow + 20'000}};
  EXPECT_NEAR(clock_offset(trips), 0, 1e-9);
}

}  // namespace
}  // namespace hpl
