#include "hpl/machine/host/memory.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "file_tree.h"
#include "hpl/base/error/error.h"
#include "hpl/machine/host/memory_nodes.h"
#include "hpl/machine/host/sizing.h"

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
  EXPECT_EQ(available_memory(reader_of(files), {.address_space = 10}).node.bytes, 0);
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
    const auto memory =
        available_memory(reader_of(files), {.address_space = 4 * kGibi, .stacks = stacks});
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

TEST(Memory, OfAllRanksIsTheLeastWithItsOwnSourceAndPlace) {
  const RankBound node1{"node1", {16 * kGibi, "MemAvailable"}};
  const RankBound node2{"node2", {2 * kGibi, "control group /job"}};
  const MemoryBound least = least_bound({node1, node1, node2, node2});
  EXPECT_EQ(least.bytes, 2 * kGibi);
  EXPECT_EQ(least.source, "control group /job, rank 2 on node2");
  EXPECT_EQ(least_bound({node2, node1}).source, "control group /job, rank 0 on node2");
}

TEST(Memory, OfAllRanksNamesNoPlaceWhereTheyShareIt) {
  const auto source = [](const char* host, std::int64_t bytes) {
    return least_bound({{"node1", {16 * kGibi, "MemAvailable"}}, {host, {bytes, "MemAvailable"}}})
        .source;
  };
  EXPECT_EQ(source("node1", 16 * kGibi), "MemAvailable");
  EXPECT_EQ(source("node1", 15 * kGibi), "MemAvailable") << "read a moment later";
  EXPECT_EQ(source("node2", 16 * kGibi), "MemAvailable") << "--device-memory";
  EXPECT_EQ(source("node2", 15 * kGibi), "MemAvailable, rank 1 on node2");
}

TEST(Memory, RefusesToGuessWithoutMeminfo) {
  EXPECT_THROW(available_memory(reader_of({}), {}), RunError);
}

TEST(Memory, OfThisMachineIsPositive) {
  EXPECT_GT(available_memory().node.bytes, 0);
}

using Nodes = std::vector<int>;

const std::vector<MemoryNode> kFour{{0, 1000}, {1, 1000}, {2, 2000}, {3, 0}};

TEST(MemoryNodes, CountWhatIsFreeAndWhatTheSystemWouldDrop) {
  EXPECT_EQ(parse_node_memory("Node 1 MemTotal:       1000 kB\n"
                              "Node 1 MemFree:         200 kB\n"
                              "Node 1 MemUsed:         800 kB\n"
                              "Node 1 Inactive(file):   30 kB\n"
                              "Node 1 SReclaimable:      4 kB\n"),
            234 * 1024);
  EXPECT_EQ(parse_node_memory(""), 0);
}

TEST(MemoryNodes, NearTheDeviceAreEnoughWhereTheyHaveTheMemory) {
  EXPECT_EQ(nodes_for(900, {1}, kFour, 1), (Nodes{1}));
  EXPECT_EQ(nodes_for(1800, {0, 1}, kFour, 1), (Nodes{0, 1}));
  EXPECT_EQ(nodes_for(450, {1}, kFour, 2), (Nodes{1}));
}

TEST(MemoryNodes, AreJoinedByAllOthersWhereTheyHaveNot) {
  EXPECT_EQ(nodes_for(1001, {1}, kFour, 1), (Nodes{0, 1, 2, 3}));
  EXPECT_EQ(nodes_for(960, {1}, kFour, 1), (Nodes{0, 1, 2, 3}));  // not to the last page
  EXPECT_EQ(nodes_for(600, {1}, kFour, 2), (Nodes{0, 1, 2, 3}));
}

TEST(MemoryNodes, AreLeftToTheSystemWhereNothingIsKnown) {
  EXPECT_EQ(nodes_for(10, {}, kFour, 1), Nodes{});
  EXPECT_EQ(nodes_for(10, {0}, {}, 1), Nodes{});
  EXPECT_EQ(nodes_for(10, {7}, kFour, 1), Nodes{});
}

TEST(MemoryNodes, OfThisMachineAreNoneOrSeveral) {
  const std::vector<MemoryNode> nodes =
      memory_nodes([](const std::string&) { return "Node 0 MemFree: 3 kB\n"; });
  EXPECT_NE(nodes.size(), 1u);
  for (const MemoryNode& node : nodes)
    EXPECT_EQ(node.bytes, 3 * 1024);
}

TEST(MemoryNodes, SaidOfMemoryOnAnyMachine) {
  std::vector<char> memory(1 << 20, 'x');
  place_memory(memory.data(), memory.size(), {});
  place_memory(memory.data(), memory.size(), {0});
  double sum = 0;
  for (const NodeShare& part : node_shares(memory.data(), memory.size()))
    sum += part.share;
  EXPECT_TRUE(sum == 0 || (sum > 0.999 && sum < 1.001)) << sum;
  EXPECT_TRUE(node_shares(memory.data(), 0).empty());
  EXPECT_EQ(memory.front(), 'x');
}

TEST(MemoryNodes, AreDescribedInWords) {
  EXPECT_EQ(describe_nodes(Nodes{}), "");
  EXPECT_EQ(describe_nodes(Nodes{2}), "NUMA node 2");
  EXPECT_EQ(describe_nodes(Nodes{0, 1, 3}), "NUMA nodes 0, 1 and 3");
  EXPECT_EQ(describe_nodes(std::vector<NodeShare>{{1, 1.0}}), "NUMA node 1");
  EXPECT_EQ(describe_nodes(std::vector<NodeShare>{{0, 0.251}, {1, 0.749}}),
            "NUMA nodes 0 (25 %) and 1 (75 %)");
}

TEST(BlockSize, GrowsWithTheOrderAndFasterOnGpus) {
  EXPECT_EQ(block_size_for(3999, ProcessorKind::Cpu), 128);
  EXPECT_EQ(block_size_for(4000, ProcessorKind::Cpu), 192);
  EXPECT_EQ(block_size_for(15999, ProcessorKind::Cpu), 192);
  EXPECT_EQ(block_size_for(100000, ProcessorKind::Gpu), 2048);
  EXPECT_EQ(block_size_for(100000, ProcessorKind::Gpu, Products::Emulated), 4096);
  EXPECT_EQ(block_size_for(100000, ProcessorKind::Cpu, Products::Emulated), 256);
  EXPECT_EQ(block_size_for(131071, ProcessorKind::Gpu, Products::Mixed), 2048);
  EXPECT_EQ(block_size_for(131072, ProcessorKind::Gpu, Products::Mixed), 4096);
  EXPECT_EQ(block_size_for(16384, ProcessorKind::Gpu), 1024);
  EXPECT_EQ(block_size_for(8000, ProcessorKind::Gpu), 512);
  EXPECT_GE(block_size_for(0, ProcessorKind::Cpu), 1);
}

TEST(Estimate, FollowsTheCreditedOperations) {
  // 2/3 1e12 + 3/2 1e8 operations at 100 Gflop/s.
  EXPECT_NEAR(estimated_seconds(10000, 100.0), 6.668166666, 1e-6);
}

TEST(OrderForSeconds, IsTheLargestMultipleThatEndsInTime) {
  const auto order = order_for_seconds(140.0, 75.0, 192);
  EXPECT_EQ(order % 192, 0);
  EXPECT_LE(estimated_seconds(order, 140.0), 75.0);
  EXPECT_GT(estimated_seconds(order + 192, 140.0), 75.0);
}

TEST(OrderForSeconds, IsAtLeastOneBlock) {
  EXPECT_EQ(order_for_seconds(1e-6, 1.0, 192), 192);
}

}  // namespace
}  // namespace hpl
