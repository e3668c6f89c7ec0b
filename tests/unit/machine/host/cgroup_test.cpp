#include "hpl/machine/host/cgroup.h"

#include <gtest/gtest.h>

#include "file_tree.h"

namespace hpl {
namespace {

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
