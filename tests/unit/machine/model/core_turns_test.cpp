#include "machine/model/core_turns.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(CoreTurns, WorkWaitsForWhatHasTheCore) {
  CoreTurns core;
  EXPECT_EQ(core.take(1, 4), 1);
  EXPECT_EQ(core.take(3, 2), 5);
  EXPECT_EQ(core.take(7, 1), 7);
}

TEST(CoreTurns, WhatIsAskedForLaterMayComeEarlier) {
  CoreTurns core;
  EXPECT_EQ(core.take(10, 5), 10);
  EXPECT_EQ(core.take(2, 3), 2);
  EXPECT_EQ(core.take(2, 5), 5) << "just fits";
  EXPECT_EQ(core.take(2, 1), 15);
}

TEST(CoreTurns, APauseThatIsTooShortIsLeft) {
  CoreTurns core;
  core.take(0, 2);
  core.take(3, 2);
  EXPECT_EQ(core.take(1, 2), 5);
  EXPECT_EQ(core.take(1, 1), 2);
}

TEST(CoreTurns, WhatTakesNoTimeStillWaits) {
  CoreTurns core;
  core.take(0, 2);
  EXPECT_EQ(core.take(1, 0), 2);
  EXPECT_EQ(core.take(3, 0), 3);
}

}  // namespace
}  // namespace hpl
