#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "hpl/machine/host/topology.h"

namespace hpl {
namespace {

/// Cores first .. first + count - 1, eight to a NUMA node.
CoreSet cores(int first, int count) {
  CoreSet set;
  for (int id = first; id < first + count; ++id) {
    set.push_back({.cpu = id, .id = id, .numa_node = id / 8});
  }
  return set;
}

std::vector<int> ids(const CoreSet& set) {
  std::vector<int> result;
  for (const auto& core : set) {
    result.push_back(core.id);
  }
  return result;
}

TEST(CoreSplit, OneRankKeepsEverything) {
  const auto shares = split_cores({cores(0, 16)});
  EXPECT_EQ(shares[0].cores, cores(0, 16));
  EXPECT_FALSE(shares[0].oversubscribed);
  EXPECT_TRUE(shares[0].remark.empty());
}

TEST(CoreSplit, EqualMasksBecomeOnePiecePerNumaNode) {
  const auto shares = split_cores({cores(0, 16), cores(0, 16)});
  EXPECT_EQ(shares[0].cores, cores(0, 8));
  EXPECT_EQ(shares[1].cores, cores(8, 8));
}

TEST(CoreSplit, SizesDifferByOneAtMostAndNothingIsLost) {
  const auto shares = split_cores(std::vector<CoreSet>(3, cores(0, 8)));
  EXPECT_EQ(shares[0].cores, cores(0, 3));
  EXPECT_EQ(shares[1].cores, cores(3, 3));
  EXPECT_EQ(shares[2].cores, cores(6, 2));
}

TEST(CoreSplit, DisjointMasksAreKept) {
  const auto shares = split_cores({cores(4, 2), cores(0, 3), cores(9, 1)});
  EXPECT_EQ(shares[0].cores, cores(4, 2));
  EXPECT_EQ(shares[1].cores, cores(0, 3));
  EXPECT_EQ(shares[2].cores, cores(9, 1));
}

TEST(CoreSplit, RanksBoundToSocketsDivideTheirSocket) {
  const auto shares = split_cores({cores(0, 8), cores(8, 8), cores(0, 8), cores(8, 8)});
  EXPECT_EQ(shares[0].cores, cores(0, 4));
  EXPECT_EQ(shares[1].cores, cores(8, 4));
  EXPECT_EQ(shares[2].cores, cores(4, 4));
  EXPECT_EQ(shares[3].cores, cores(12, 4));
}

TEST(CoreSplit, ANarrowMaskInsideAWideOneGetsItsCore) {
  const auto shares = split_cores({cores(0, 4), cores(0, 1)});
  EXPECT_EQ(ids(shares[0].cores), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(ids(shares[1].cores), (std::vector<int>{0}));
  EXPECT_FALSE(shares[1].oversubscribed);
}

TEST(CoreSplit, AChainOfOverlapsIsResolvedByMovingOthers) {
  const auto shares = split_cores({cores(0, 2), cores(1, 2), cores(0, 1)});
  EXPECT_EQ(ids(shares[0].cores), (std::vector<int>{1}));
  EXPECT_EQ(ids(shares[1].cores), (std::vector<int>{2}));
  EXPECT_EQ(ids(shares[2].cores), (std::vector<int>{0}));
}

TEST(CoreSplit, NoCoreGoesToTwoRanksWhateverTheMasks) {
  for (int first = 0; first < 6; ++first) {
    for (int width = 1; width < 8; ++width) {
      const std::vector<CoreSet> masks{cores(0, 8), cores(first, width), cores(2, 5), cores(0, 8)};
      std::set<int> seen;
      for (std::size_t rank = 0; const auto& share : split_cores(masks)) {
        EXPECT_FALSE(share.cores.empty());
        for (const auto& core : share.cores) {
          EXPECT_TRUE(seen.insert(core.id).second) << first << ' ' << width;
          EXPECT_NE(std::find(masks[rank].begin(), masks[rank].end(), core), masks[rank].end());
        }
        ++rank;
      }
    }
  }
}

TEST(CoreSplit, MoreRanksThanCoresShareAndSaySo) {
  const auto shares = split_cores(std::vector<CoreSet>(4, cores(0, 2)));
  EXPECT_EQ(shares[0].cores, cores(0, 1));
  EXPECT_EQ(shares[1].cores, cores(0, 1));
  EXPECT_EQ(shares[2].cores, cores(1, 1));
  EXPECT_EQ(shares[3].cores, cores(1, 1));
  for (const auto& share : shares) {
    EXPECT_TRUE(share.oversubscribed);
    EXPECT_NE(share.remark.find("shared by 2 ranks"), std::string::npos) << share.remark;
  }
}

TEST(CoreSplit, OnlyTheRanksConcernedAreMarked) {
  const auto shares = split_cores({cores(0, 1), cores(0, 1), cores(4, 2)});
  EXPECT_TRUE(shares[0].oversubscribed);
  EXPECT_TRUE(shares[1].oversubscribed);
  EXPECT_FALSE(shares[2].oversubscribed);
}

TEST(CoreSplit, SiblingThreadsGivenToTwoRanksCountAsOneCoreAndKeepTheirThreads) {
  const auto shares = split_cores(
      {{Core{.cpu = 3, .id = 3, .numa_node = 0}}, {Core{.cpu = 67, .id = 3, .numa_node = 0}}});
  EXPECT_EQ(shares[0].cores[0].cpu, 3);
  EXPECT_EQ(shares[1].cores[0].cpu, 67);
  EXPECT_TRUE(shares[0].oversubscribed);
}

TEST(CoreSplit, AQuotaBoundsTheSumOverTheRanks) {
  const auto shares = split_cores({cores(0, 16), cores(0, 16)}, 5.5);
  EXPECT_EQ(shares[0].cores, cores(0, 3));
  EXPECT_EQ(shares[1].cores, cores(8, 2));
  EXPECT_FALSE(shares[0].oversubscribed);
  EXPECT_NE(shares[0].remark.find("allows 5.5 processors"), std::string::npos);
}

TEST(CoreSplit, AQuotaBelowTheRanksLeavesEachOneCore) {
  const auto shares = split_cores({cores(0, 2), cores(2, 2)}, 0.5);
  for (const auto& share : shares) {
    EXPECT_EQ(share.cores.size(), 1U);
    EXPECT_TRUE(share.oversubscribed);
  }
}

TEST(CoreSplit, AGenerousQuotaChangesNothing) {
  const auto shares = split_cores({cores(0, 4)}, 4.0);
  EXPECT_EQ(shares[0].cores, cores(0, 4));
  EXPECT_TRUE(shares[0].remark.empty());
}

TEST(CoreSplit, ARankWithUnknownCoresIsLeftUnbound) {
  const auto shares = split_cores({{}, cores(0, 2)});
  EXPECT_TRUE(shares[0].cores.empty());
  EXPECT_FALSE(shares[0].remark.empty());
  EXPECT_EQ(shares[1].cores, cores(0, 2));
  EXPECT_TRUE(split_cores({}).empty());
}

TEST(IdleCores, AreNamedWhenTheLauncherBoundRanksToSingleCores) {
  const auto remark = idle_cores_remark(split_cores({cores(0, 1), cores(1, 1)}), 16);
  ASSERT_TRUE(remark);
  EXPECT_NE(remark->find("14 of 16 cores"), std::string::npos) << *remark;
  EXPECT_NE(remark->find("--bind-to none"), std::string::npos);
}

TEST(IdleCores, AreNoMatterWhenAllAreUsedOrAQuotaHolds) {
  EXPECT_FALSE(idle_cores_remark(split_cores({cores(0, 16)}), 16));
  EXPECT_FALSE(idle_cores_remark(split_cores({cores(0, 16)}, 2.0), 16));
}

}  // namespace
}  // namespace hpl
