#include "lu/solve/line_ring.h"

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(LineRing, GivesOutLinesOneBehindTheOtherUntilNoneIsFree) {
  LineRing ring(10);
  EXPECT_EQ(ring.take(4)->begin, 0);
  EXPECT_EQ(ring.take(4)->begin, 4);
  EXPECT_FALSE(ring.take(4));
  EXPECT_EQ(ring.take(2)->begin, 8);
  EXPECT_FALSE(ring.take(1));
}

TEST(LineRing, BeginsAnewWhereTheEndIsTooShort) {
  LineRing ring(10);
  ASSERT_TRUE(ring.take(4));
  ASSERT_TRUE(ring.take(4));
  ring.give_back({});
  const auto next = ring.take(3);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->begin, 0);
  EXPECT_FALSE(ring.take(2));
  EXPECT_EQ(ring.take(1)->begin, 3);
  EXPECT_FALSE(ring.take(1));
  ring.give_back({});
  EXPECT_EQ(ring.take(4)->begin, 4);
}

TEST(LineRing, NamesThoseWhoHadTheLinesBefore) {
  LineRing ring(8);
  EXPECT_TRUE(ring.take(4)->after.empty());
  EXPECT_TRUE(ring.take(4)->after.empty());
  ring.give_back({});
  ring.give_back({});
  EXPECT_EQ(ring.take(6)->after.size(), 2u);
  ring.give_back({});
  EXPECT_EQ(ring.take(2)->after.size(), 1u);
}

TEST(LineRing, RefusesWhatIsLargerThanItself) {
  LineRing ring(8);
  EXPECT_FALSE(ring.take(9));
  EXPECT_TRUE(ring.take(8));
}

}  // namespace
}  // namespace hpl
