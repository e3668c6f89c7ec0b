#include "hpl/machine/host/memory_nodes.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hpl {
namespace {

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

}  // namespace
}  // namespace hpl
