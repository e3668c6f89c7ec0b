#include "machine/model/rank_clock.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(CoreCalendar, WorkWaitsForWhatHasTheCore) {
  CoreCalendar core;
  EXPECT_EQ(core.reserve(1, 4), 1);
  EXPECT_EQ(core.reserve(3, 2), 5);
  EXPECT_EQ(core.reserve(7, 1), 7);
}

TEST(CoreCalendar, WhatIsAskedForLaterMayComeEarlier) {
  CoreCalendar core;
  EXPECT_EQ(core.reserve(10, 5), 10);
  EXPECT_EQ(core.reserve(2, 3), 2);
  EXPECT_EQ(core.reserve(2, 5), 5) << "just fits";
  EXPECT_EQ(core.reserve(2, 1), 15);
}

TEST(CoreCalendar, APauseThatIsTooShortIsLeft) {
  CoreCalendar core;
  core.reserve(0, 2);
  core.reserve(3, 2);
  EXPECT_EQ(core.reserve(1, 2), 5);
  EXPECT_EQ(core.reserve(1, 1), 2);
}

TEST(CoreCalendar, WhatTakesNoTimeStillWaits) {
  CoreCalendar core;
  core.reserve(0, 2);
  EXPECT_EQ(core.reserve(1, 0), 2);
  EXPECT_EQ(core.reserve(3, 0), 3);
}

}  // namespace
}  // namespace hpl
