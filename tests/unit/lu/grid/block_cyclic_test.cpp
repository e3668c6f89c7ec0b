#include "hpl/lu/grid/block_cyclic.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace hpl {
namespace {

using RoundRobin = BlockCyclic<Axis::Row>;

TEST(BlockCyclic, LastPartialBlockBelongsToItsOwner) {
  const BlockCyclic<Axis::Column> map{.extent = 10, .block = 3, .processes = 2, .rank = 1};
  EXPECT_EQ(map.owner({9}), 1);
  EXPECT_EQ(map.to_local({9}).value, 3);
  EXPECT_EQ(map.local_extent(), 4);
}

TEST(BlockCyclic, ProcessesBeyondTheLastBlockHaveNothing) {
  for (int rank = 2; rank < 6; ++rank)
    EXPECT_EQ((RoundRobin{.extent = 14, .block = 7, .processes = 6, .rank = rank}.local_extent()),
              0);
}

TEST(BlockCyclic, CountsPastThirtyTwoBits) {
  constexpr std::int64_t kExtent = 20'000'000'000;
  std::int64_t total = 0;
  for (int rank = 0; rank < 3; ++rank) {
    const RoundRobin map{.extent = kExtent, .block = 384, .processes = 3, .rank = rank};
    total += map.local_extent();
    const LocalRow last{map.local_extent() - 1};
    EXPECT_EQ(map.to_local(map.to_global(last)), last);
    EXPECT_GT(map.to_global(last).value, kExtent - 3 * 384);
    EXPECT_LT(map.to_global(last).value, kExtent);
  }
  EXPECT_EQ(total, kExtent);
}

}  // namespace
}  // namespace hpl
