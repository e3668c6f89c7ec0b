#include "hpl/base/result/peak_rate.h"

#include <vector>

#include <gtest/gtest.h>

namespace hpl {
namespace {

using Peaks = std::vector<std::optional<PeakRate>>;

TEST(PeakRate, SumsRanksAndNamesEachSourceOnce) {
  const auto sum = sum_of(Peaks{PeakRate{100, "a"}, PeakRate{50, "b"}, PeakRate{100, "a"}});
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->gflops, 250);
  EXPECT_EQ(sum->source, "2 x (a), 1 x (b)");
}

TEST(PeakRate, IsUnknownWhereThatOfARankIs) {
  EXPECT_FALSE(sum_of(Peaks{PeakRate{100, "a"}, std::nullopt}));
  EXPECT_FALSE(sum_of(Peaks{}));
}

}  // namespace
}  // namespace hpl
