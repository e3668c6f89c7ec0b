#include "hpl/machine/host/memory.h"

#include <gtest/gtest.h>

#include "file_tree.h"
#include "hpl/base/error/error.h"

namespace hpl {
namespace {

using test::FileTree;
using test::reader_of;

constexpr std::int64_t kGibi = std::int64_t{1} << 30;

/// 16 GiB available, unified control groups /job/step.
FileTree host_of_16_gib() {
  return {{"/proc/meminfo",
           "MemTotal:       33554432 kB\nMemFree:         1048576 kB\n"
           "MemAvailable:   16777216 kB\nBuffers: 4 kB\n"},
          {"/proc/self/cgroup", "0::/job/step\n"},
          {"/proc/self/mountinfo", "31 24 0:27 / /cg rw - cgroup2 cgroup2 rw\n"}};
}

TEST(Memory, TakesMemAvailableNotMemFree) {
  EXPECT_EQ(parse_available_memory("MemFree: 10 kB\nMemAvailable: 20 kB\n"), 20 * 1024);
}

TEST(Memory, AddsUpOnKernelsWithoutMemAvailable) {
  EXPECT_EQ(parse_available_memory("MemFree: 10 kB\nBuffers: 2 kB\nCached: 3 kB\nSwapCached: 9 kB"),
            15 * 1024);
  EXPECT_FALSE(parse_available_memory("nothing here"));
  EXPECT_FALSE(parse_available_memory("MemAvailable: many kB"));
}

TEST(Memory, IsMemAvailableWithoutLimits) {
  auto files = host_of_16_gib();
  files["/cg/job/memory.max"] = "max\n";
  const auto memory = available_memory(reader_of(files), {});
  EXPECT_EQ(memory.node.bytes, 16 * kGibi);
  EXPECT_EQ(memory.node.source, "MemAvailable");
  EXPECT_FALSE(memory.process);
}

TEST(Memory, IsBoundByTheGroupOfAParent) {
  auto files = host_of_16_gib();
  files["/cg/job/step/memory.max"] = "max\n";
  files["/cg/job/memory.max"] = std::to_string(8 * kGibi);
  files["/cg/job/memory.current"] = std::to_string(3 * kGibi);
  files["/cg/job/memory.stat"] =
      "anon 5\nactive_file 7\ninactive_file " + std::to_string(kGibi) + "\n";
  const auto memory = available_memory(reader_of(files), {});
  EXPECT_EQ(memory.node.bytes, 6 * kGibi) << "limit 8, used 3 of which 1 is droppable cache";
  EXPECT_EQ(memory.node.source, "control group /cg/job");
}

TEST(Memory, CountsTheHighMarkAsALimit) {
  auto files = host_of_16_gib();
  files["/cg/job/step/memory.max"] = std::to_string(8 * kGibi);
  files["/cg/job/step/memory.high"] = std::to_string(4 * kGibi);
  EXPECT_EQ(available_memory(reader_of(files), {}).node.bytes, 4 * kGibi);
}

TEST(Memory, ReadsVersionOneGroups) {
  auto files = host_of_16_gib();
  files["/proc/self/cgroup"] = "4:memory:/slurm/job\n";
  files["/proc/self/mountinfo"] = "34 32 0:31 / /v1 rw - cgroup cgroup rw,memory\n";
  files["/v1/memory.limit_in_bytes"] = "9223372036854771712\n";
  files["/v1/memory.usage_in_bytes"] = "9000000000000000000\n";
  files["/v1/slurm/job/memory.limit_in_bytes"] = std::to_string(2 * kGibi) + "\n";
  files["/v1/slurm/job/memory.usage_in_bytes"] = std::to_string(kGibi) + "\n";
  files["/v1/slurm/job/memory.stat"] = "inactive_file 1\ntotal_inactive_file 4096\n";
  EXPECT_EQ(available_memory(reader_of(files), {}).node.bytes, kGibi + 4096);
}

TEST(Memory, IsNeverNegative) {
  auto files = host_of_16_gib();
  files["/cg/memory.max"] = "4096\n";
  files["/cg/memory.current"] = "8192\n";
  EXPECT_EQ(available_memory(reader_of(files), {.address_space = 10, .data = {}}).node.bytes, 0);
}

TEST(Memory, SubtractsWhatTheProcessUsesFromItsLimits) {
  auto files = host_of_16_gib();
  files["/proc/self/status"] = "Name:\tx\nVmSize:\t  1048576 kB\nVmData:\t 524288 kB\n";
  const auto memory =
      available_memory(reader_of(files), {.address_space = 4 * kGibi, .data = 3 * kGibi});
  ASSERT_TRUE(memory.process);
  EXPECT_EQ(memory.process->bytes, 5 * kGibi / 2);
  EXPECT_EQ(memory.process->source, "ulimit -d of 3.22 GB");
}

TEST(Memory, OfAProcessWithALimitIsLessTheStacksOfThreadsToCome) {
  auto files = host_of_16_gib();
  files["/proc/self/status"] = "VmSize:\t  1048576 kB\nVmData:\t 524288 kB\n";
  for (const std::int64_t stacks : {kGibi, 4 * kGibi}) {
    const auto memory = available_memory(
        reader_of(files), {.address_space = 4 * kGibi, .data = {}, .stacks = stacks});
    ASSERT_TRUE(memory.process);
    EXPECT_EQ(memory.process->bytes, std::max<std::int64_t>(0, 3 * kGibi - stacks));
    EXPECT_EQ(memory.node.bytes, available_memory(reader_of(files), {}).node.bytes);
  }
  EXPECT_GT(process_limits().stacks, 0);
}

TEST(Memory, SharesTheNodeButNotTheProcessLimitAmongRanks) {
  const AvailableMemory memory{.node = {.bytes = 16 * kGibi, .source = "node"},
                               .process = MemoryBound{.bytes = 5 * kGibi, .source = "process"}};
  EXPECT_EQ(memory_per_rank(memory, 2).bytes, 5 * kGibi);
  EXPECT_EQ(memory_per_rank(memory, 2).source, "process");
  EXPECT_EQ(memory_per_rank(memory, 4).bytes, 4 * kGibi);
  EXPECT_EQ(memory_per_rank(memory, 4).source, "node");
}

TEST(Memory, OfADeviceIsSharedByItsRanks) {
  EXPECT_EQ(device_memory_per_rank(12 * kGibi, 1).bytes, 12 * kGibi);
  EXPECT_EQ(device_memory_per_rank(12 * kGibi, 1).source, "free memory of the device");
  EXPECT_EQ(device_memory_per_rank(12 * kGibi, 3).bytes, 4 * kGibi);
  EXPECT_EQ(device_memory_per_rank(12 * kGibi, 3).source,
            "free memory of the device, which 3 ranks share");
}

TEST(Memory, RefusesToGuessWithoutMeminfo) {
  EXPECT_THROW(available_memory(reader_of({}), {}), RunError);
}

TEST(Memory, OfThisMachineIsPositive) {
  EXPECT_GT(available_memory().node.bytes, 0);
}

}  // namespace
}  // namespace hpl
