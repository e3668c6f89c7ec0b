#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "file_tree.h"
#include "hpl/machine/host/cgroup.h"
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

TEST(CoreSplit, SharedCoresAreAFaultOfTheLaunchThatNamesRanksAndCore) {
  const std::vector<CoreSet> masks{cores(0, 1), cores(4, 2), cores(0, 1), cores(0, 1)};
  EXPECT_EQ(shared_cores_fault(split_cores(masks), {3, 4, 5, 9}),
            "ranks 3, 5 and 9 share core 0: start with --bind-to none or fewer ranks");
  EXPECT_EQ(shared_cores_fault(split_cores(std::vector<CoreSet>(4, cores(0, 2))), {0, 1, 2, 3}),
            "ranks 0 and 1 share core 0: start with --bind-to none or fewer ranks");
  EXPECT_EQ(shared_cores_fault(split_cores({cores(0, 2), cores(0, 2)}), {0, 1}), std::nullopt);
}

TEST(CoreSplit, AQuotaBelowTheRanksIsAFaultOfTheLaunch) {
  const auto fault = shared_cores_fault(split_cores({cores(0, 2), cores(2, 2)}, 1.5), {0, 1});
  EXPECT_EQ(fault,
            "the control group allows 1.5 processors for 2 ranks: 1 of 2 cores used: start fewer "
            "ranks");
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

using test::FileTree;
using test::reader_of;

constexpr const char* kUnifiedMount =
    "24 1 0:22 / /sys rw,relatime - sysfs sysfs rw\n"
    "31 24 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(Cgroup, ListsTheLevelsFromTheOwnGroupToTheMountPoint) {
  const auto read = reader_of({{"/proc/self/cgroup", "0::/system.slice/job.scope\n"},
                               {"/proc/self/mountinfo", kUnifiedMount}});
  EXPECT_EQ(cgroup_directories("memory", read),
            (std::vector<std::string>{"/sys/fs/cgroup/system.slice/job.scope",
                                      "/sys/fs/cgroup/system.slice", "/sys/fs/cgroup"}));
}

TEST(Cgroup, FindsAVersionOneControllerBesideOthers) {
  const auto read =
      reader_of({{"/proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/slurm/job_7\n0::/\n"},
                 {"/proc/self/mountinfo",
                  "33 32 0:30 / /cg/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                  "34 32 0:31 / /cg/memory rw - cgroup cgroup rw,memory\n"
                  "35 32 0:32 / /cg/unified rw - cgroup2 cgroup2 rw\n"}});
  EXPECT_EQ(cgroup_directories("memory", read),
            (std::vector<std::string>{"/cg/memory/slurm/job_7", "/cg/memory/slurm", "/cg/memory",
                                      "/cg/unified"}));
  EXPECT_EQ(cgroup_directories("cpu", read).front(), "/cg/cpu,cpuacct/a");
}

TEST(Cgroup, RemovesTheMountedRootFromThePathInsideAContainer) {
  const auto read =
      reader_of({{"/proc/self/cgroup", "4:memory:/docker/abc/inner\n"},
                 {"/proc/self/mountinfo",
                  "34 32 0:31 /docker/abc /cg/memory ro - cgroup cgroup rw,memory\n"}});
  EXPECT_EQ(cgroup_directories("memory", read),
            (std::vector<std::string>{"/cg/memory/inner", "/cg/memory"}));
}

TEST(Cgroup, UsesTheMountPointWhenThePathLiesOutsideTheMount) {
  const auto mounts = "34 32 0:31 /docker/abc /cg/memory ro - cgroup cgroup rw,memory\n";
  for (const auto* path : {"4:memory:/docker/abcdef\n", "4:memory:/../other\n", "4:memory:/x\n"}) {
    const auto read = reader_of({{"/proc/self/cgroup", path}, {"/proc/self/mountinfo", mounts}});
    EXPECT_EQ(cgroup_directories("memory", read), std::vector<std::string>{"/cg/memory"}) << path;
  }
}

TEST(Cgroup, IsEmptyWithoutControlGroups) {
  EXPECT_TRUE(cgroup_directories("memory", reader_of({})).empty());
  EXPECT_TRUE(cgroup_directories("memory", reader_of({{"/proc/self/cgroup", "garbage\n"},
                                                      {"/proc/self/mountinfo", "1 2 - \n\n"}}))
                  .empty());
}

TEST(CpuQuota, IsTheLeastOverAllLevels) {
  const auto read = reader_of({{"/proc/self/cgroup", "0::/pod/box\n"},
                               {"/proc/self/mountinfo", kUnifiedMount},
                               {"/sys/fs/cgroup/pod/box/cpu.max", "max 100000\n"},
                               {"/sys/fs/cgroup/pod/cpu.max", "250000 100000\n"}});
  ASSERT_TRUE(cpu_quota(read));
  EXPECT_DOUBLE_EQ(*cpu_quota(read), 2.5);
}

TEST(CpuQuota, ReadsVersionOneFiles) {
  FileTree files{
      {"/proc/self/cgroup", "5:cpu,cpuacct:/\n"},
      {"/proc/self/mountinfo", "33 32 0:30 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"},
      {"/cg/cpu/cpu.cfs_quota_us", "400000\n"},
      {"/cg/cpu/cpu.cfs_period_us", "100000\n"}};
  ASSERT_TRUE(cpu_quota(reader_of(files)));
  EXPECT_DOUBLE_EQ(*cpu_quota(reader_of(files)), 4.0);
  files["/cg/cpu/cpu.cfs_quota_us"] = "-1\n";
  EXPECT_FALSE(cpu_quota(reader_of(files)));
}

}  // namespace
}  // namespace hpl
