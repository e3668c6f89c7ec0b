#include "check/probes/placement.h"

#include <map>

#include <gtest/gtest.h>

namespace hpl {
namespace {

FileReader files(std::map<std::string, std::string> tree) {
  return [tree = std::move(tree)](const std::string& path) -> std::optional<std::string> {
    const auto found = tree.find(path);
    return found == tree.end() ? std::nullopt : std::optional(found->second);
  };
}

CoreSet cores_on(std::vector<int> nodes) {
  CoreSet cores;
  for (const int node : nodes)
    cores.push_back({.cpu = static_cast<int>(cores.size()), .id = 0, .numa_node = node});
  return cores;
}

// Two sockets of two parts each.
const std::string kDistances = "10 12 32 32\n";

TEST(Placement, FindsTheNumaNodeOfADeviceByItsAddress) {
  const auto read = files({{"/sys/bus/pci/devices/0000:1b:00.0/numa_node", "3\n"}});
  EXPECT_EQ(device_numa_node("0000:1B:00.0", read), 3);
}

TEST(Placement, DoesNotKnowTheNodeWithoutAnAddressOrWhenTheFirmwareDoesNotSay) {
  const auto read = files({{"/sys/bus/pci/devices/0000:1b:00.0/numa_node", "-1\n"}});
  EXPECT_EQ(device_numa_node("", read), -1);
  EXPECT_EQ(device_numa_node("0000:1b:00.0", read), -1);
  EXPECT_EQ(device_numa_node("0000:2b:00.0", read), -1);
}

TEST(Placement, CoresOfTheOtherSocketAreFar) {
  const auto read = files({{"/sys/devices/system/node/node0/distance", kDistances}});
  EXPECT_TRUE(is_far(cores_on({2, 3}), 0, read));
  EXPECT_FALSE(is_far(cores_on({0}), 0, read));
}

TEST(Placement, CoresOfAnotherPartOfTheSameSocketAreNear) {
  const auto read = files({{"/sys/devices/system/node/node0/distance", kDistances}});
  EXPECT_FALSE(is_far(cores_on({1}), 0, read));
}

TEST(Placement, OneNearCoreIsEnough) {
  const auto read = files({{"/sys/devices/system/node/node0/distance", kDistances}});
  EXPECT_FALSE(is_far(cores_on({3, 0}), 0, read));
}

TEST(Placement, WithoutDistancesAnotherNodeIsFar) {
  EXPECT_TRUE(is_far(cores_on({1}), 0, files({})));
  EXPECT_FALSE(is_far(cores_on({1}), 1, files({})));
}

TEST(Placement, NothingIsFarFromADeviceWhosePlaceIsUnknown) {
  EXPECT_FALSE(is_far(cores_on({1}), -1, files({})));
}

}  // namespace
}  // namespace hpl
