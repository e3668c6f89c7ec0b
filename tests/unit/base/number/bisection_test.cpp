#include "hpl/base/number/bisection.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(LargestMultiple, IsTheLastThatPasses) {
  for (std::int64_t step = 1; step <= 7; ++step)
    for (std::int64_t last = 0; last <= 60; ++last)
      EXPECT_EQ(largest_multiple(step, 50, [&](std::int64_t value) { return value <= last; }),
                std::min<std::int64_t>(last, 50) / step * step);
}

TEST(LargestMultiple, IsZeroWhereNothingPasses) {
  EXPECT_EQ(largest_multiple(5, 1000, [](std::int64_t) { return false; }), 0);
  EXPECT_EQ(largest_multiple(5, 4, [](std::int64_t) { return true; }), 0);
}

}  // namespace
}  // namespace hpl
