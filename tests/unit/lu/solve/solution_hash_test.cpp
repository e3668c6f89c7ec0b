#include "hpl/lu/solve/solution_hash.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(ElementHash, TellsBitsAndPlacesApart) {
  std::set<std::uint64_t> hashes;
  for (const std::int64_t index : {0, 1, 2, 1 << 30})
    for (const double value : {0.0, -0.0, 1.0, std::nextafter(1.0, 2.0), -1.0, 1e-300})
      hashes.insert(element_hash(index, value));
  EXPECT_EQ(hashes.size(), 4U * 6U);
}

TEST(ElementHash, OfASumDoesNotHideTwoElementsThatChangedPlaces) {
  EXPECT_NE(element_hash(3, 0.5) + element_hash(4, 0.25),
            element_hash(3, 0.25) + element_hash(4, 0.5));
}

/// Hashes are compared between versions and machines, and others may compute them:
/// docs/judging.md.
TEST(ElementHash, IsWhatItAlwaysWas) {
  EXPECT_EQ(element_hash(0, 0.0), 0x7ab40e090f363a7dU);
  EXPECT_EQ(element_hash(7, -0.125), 0x6e318d54495a47dfU);
}

}  // namespace
}  // namespace hpl
