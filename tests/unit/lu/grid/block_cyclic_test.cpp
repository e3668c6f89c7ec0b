#include "hpl/lu/grid/block_cyclic.h"

#include <cstdint>
#include <ostream>
#include <vector>

#include <gtest/gtest.h>

namespace hpl {
namespace {

using RoundRobin = BlockCyclic<Axis::Row>;

struct Distribution {
  std::int64_t extent, block;
  int processes;
};

void PrintTo(const Distribution& distribution, std::ostream* out) {
  *out << distribution.extent << " in blocks of " << distribution.block << " to "
       << distribution.processes;
}

std::vector<RoundRobin> maps_of(const Distribution& distribution) {
  std::vector<RoundRobin> maps;
  for (int rank = 0; rank < distribution.processes; ++rank)
    maps.push_back({distribution.extent, distribution.block, distribution.processes, rank});
  return maps;
}

class BlockCyclicDistributions : public testing::TestWithParam<Distribution> {
 protected:
  std::vector<RoundRobin> maps_ = maps_of(GetParam());
};

TEST_P(BlockCyclicDistributions, GiveEveryIndexOnceAndInOrder) {
  std::vector<std::int64_t> counts(maps_.size(), 0);
  for (std::int64_t g = 0; g < GetParam().extent; ++g) {
    const int owner = maps_[0].owner({g});
    ASSERT_EQ(owner, g / GetParam().block % GetParam().processes);
    EXPECT_EQ(maps_[0].to_local({g}).value, counts[owner]) << "global " << g;
    ++counts[owner];
  }
  for (const RoundRobin& map : maps_)
    EXPECT_EQ(map.local_extent(), counts[map.rank]);
}

TEST_P(BlockCyclicDistributions, FindTheWayBackFromLocalToGlobal) {
  for (const RoundRobin& map : maps_) {
    for (std::int64_t l = 0; l < map.local_extent(); ++l) {
      const GlobalRow global = map.to_global({l});
      EXPECT_TRUE(map.mine(global));
      EXPECT_LT(global.value, map.extent);
      EXPECT_EQ(map.to_local(global).value, l);
    }
  }
}

TEST_P(BlockCyclicDistributions, LowerBoundCountsTheIndicesBelow) {
  for (const RoundRobin& map : maps_) {
    std::int64_t below = 0;
    for (std::int64_t g = 0; g <= map.extent; ++g) {
      EXPECT_EQ(map.lower_bound({g}).value, below) << "rank " << map.rank << " global " << g;
      if (g < map.extent && map.mine({g})) ++below;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BlockCyclicDistributions,
                         testing::Values(Distribution{0, 3, 2}, Distribution{1, 1, 1},
                                         Distribution{10, 3, 2}, Distribution{10, 16, 4},
                                         Distribution{64, 8, 4}, Distribution{65, 8, 4},
                                         Distribution{63, 1, 6}, Distribution{100, 7, 3},
                                         Distribution{30, 7, 6}));

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
