#include "hpl/machine/host/placement.h"

#include <sched.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace hpl {
namespace {

using Lists = std::vector<std::vector<std::string>>;

/// An object of hwloc's XML with what it holds; `cores`, `nodes`: masks.
std::string object(const std::string& type, int index, int cores, int nodes,
                   const std::string& inside = {}, const std::string& more = {}) {
  return fmt::format(R"(<object type="{0}" os_index="{1}" cpuset="{2:#010x}")"
                     R"( complete_cpuset="{2:#010x}" nodeset="{3:#010x}")"
                     R"( complete_nodeset="{3:#010x}" {4}>{5}</object>)",
                     type, index, cores, nodes, more, inside);
}

/// A bridge with a GPU behind it.
std::string bridge(int bus) {
  return fmt::format(
      R"(<object type="Bridge" bridge_type="0-1" depth="0" bridge_pci="0000:[{0:x}-{1:x}]">)"
      R"(<object type="PCIDev" pci_busid="0000:{0:x}:00.0")"
      R"( pci_type="0302 [10de:2335] [10de:18be] a1" pci_link_speed="0.000000"/></object>)",
      bus, bus + 1);
}

std::string package(int index, int bus) {
  const int node = 1 << index, cores = 3 << 2 * index;
  std::string inside = object("NUMANode", index, cores, node, {}, R"(local_memory="1073741824")");
  for (const int core : {2 * index, 2 * index + 1})
    inside += object("Core", core, 1 << core, node, object("PU", core, 1 << core, node));
  return object("Package", index, cores, node, inside + bridge(bus));
}

/// Two packages of two cores, each a NUMA node, each with a PCI bridge and a GPU behind it; a third
/// GPU is the whole machine's.
const std::string kTwoPackages =
    R"(<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE topology SYSTEM "hwloc2.dtd">)"
    R"(<topology version="2.0">)" +
    object("Machine", 0, 15, 3, package(0, 0x17) + package(1, 0x97) + bridge(0xa0),
           R"(allowed_cpuset="0x0000000f" allowed_nodeset="0x00000003")") +
    "</topology>";

/// Core `id` in NUMA node id / 4.
CoreSet small_nodes(int first, int count) {
  CoreSet set;
  for (int id = first; id < first + count; ++id)
    set.push_back({.cpu = id, .id = id, .numa_node = id / 4});
  return set;
}

EnvironmentLookup variables_of(const std::map<std::string, std::string>& variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

TEST(NumaNodesNear, FollowTheBridgeOfTheDevice) {
  EXPECT_EQ(numa_nodes_near("0000:17:00.0", kTwoPackages), std::vector<int>{0});
  EXPECT_EQ(numa_nodes_near("0000:97:00.0", kTwoPackages), std::vector<int>{1});
}

TEST(NumaNodesNear, AreUnknownForADeviceOfTheWholeMachineOrNone) {
  EXPECT_TRUE(numa_nodes_near("0000:a0:00.0", kTwoPackages).empty());
  EXPECT_TRUE(numa_nodes_near("0000:42:00.0", kTwoPackages).empty());
  EXPECT_TRUE(numa_nodes_near("", kTwoPackages).empty());
  EXPECT_TRUE(numa_nodes_near("0000:17:00.0", "no topology at all").empty());
}

TEST(CoresNear, AreThoseOfTheDevicesNodes) {
  const NearCores near = cores_near(small_nodes(0, 12), {1}, "gpu");
  EXPECT_EQ(near.cores, small_nodes(4, 4));
  EXPECT_FALSE(near.remark);
  EXPECT_EQ(cores_near(small_nodes(0, 12), {0, 2}, "gpu").cores.size(), 8u);
}

TEST(CoresNear, AreAllWhereNothingIsKnown) {
  EXPECT_EQ(cores_near(small_nodes(0, 12), {}, "gpu").cores, small_nodes(0, 12));
}

TEST(CoresNear, StayWithinWhatTheSchedulerGaveAndSaySo) {
  const NearCores near = cores_near(small_nodes(0, 4), {1}, "0000:97:00.0");
  EXPECT_EQ(near.cores, small_nodes(0, 4));
  ASSERT_TRUE(near.remark);
  EXPECT_NE(near.remark->find("device 0000:97:00.0 are in NUMA node 0, the device is at 1"),
            std::string::npos)
      << *near.remark;
}

TEST(CoresNear, OfTwoRanksAtOneNodeAreDividedAmongThem) {
  std::vector<CoreSet> sets;
  for (const int node : {0, 0, 1, 1})
    sets.push_back(cores_near(small_nodes(0, 8), {node}, "gpu").cores);
  const auto shares = split_cores(sets);
  EXPECT_EQ(shares[0].cores, small_nodes(0, 2));
  EXPECT_EQ(shares[1].cores, small_nodes(2, 2));
  EXPECT_EQ(shares[2].cores, small_nodes(4, 2));
  EXPECT_EQ(shares[3].cores, small_nodes(6, 2));
}

TEST(AssignDevices, GivesEachRankTheDeviceOfItsNumberWhereAllSeeTheSame) {
  EXPECT_EQ(assign_devices(Lists(3, {"a", "b", "c", "d"})), (std::vector<int>{0, 1, 2}));
}

TEST(AssignDevices, TakesTheOnlyDeviceThatALauncherShowsEachRank) {
  EXPECT_EQ(assign_devices({{"c"}, {"a"}, {"b"}}), (std::vector<int>{0, 0, 0}));
}

TEST(AssignDevices, FindsAWayThroughListsThatOverlap) {
  const auto assigned = assign_devices({{"a", "b"}, {"a"}, {"b", "c"}});
  ASSERT_TRUE(assigned);
  EXPECT_EQ(*assigned, (std::vector<int>{1, 0, 1}));
}

TEST(AssignDevices, HasNoWayWithMoreRanksThanDevices) {
  EXPECT_FALSE(assign_devices(Lists(3, {"a", "b"})));
  EXPECT_FALSE(assign_devices({{"a"}, {"a"}, {"b"}}));
  EXPECT_FALSE(assign_devices({{"a"}, {}}));
}

TEST(AssignDevices, GivesTheSlicesOfOneGpuToRanksThatSeeOneEach) {
  const std::string first = device_word("0000:1b:00.0", "4d1a"),
                    second = device_word("0000:1b:00.0", "4d1b");
  EXPECT_EQ(assign_devices({{first}, {second}}), (std::vector<int>{0, 0}));
  EXPECT_FALSE(assign_devices({{first}, {first}})) << "two ranks on one slice";
  EXPECT_FALSE(lone_devices_remark({{first}, {second}})) << "slices reach each other in no case";
  EXPECT_EQ(device_word("0000:1b:00.0", ""), "0000:1b:00.0");
}

TEST(LoneDevices, OfRanksThatEachSeeOneAreRemarkedOnWithTheirCost) {
  const std::string remark = lone_devices_remark({{"a"}, {"b"}}).value_or("");
  EXPECT_TRUE(remark.find("17 us a column instead of 7; --gpus-per-node") != std::string::npos)
      << remark;
  EXPECT_FALSE(lone_devices_remark(Lists(2, {"a", "b"})));
  EXPECT_FALSE(lone_devices_remark({{"a", "b"}, {"b"}}));
  EXPECT_FALSE(lone_devices_remark({{"a"}})) << "a rank alone has nobody to share with";
  EXPECT_FALSE(lone_devices_remark(Lists(2, {"a"}))) << "they share a device";
}

TEST(FewCores, OfARankWithAGpuAreRemarkedOn) {
  EXPECT_TRUE(few_cores_remark(1));
  EXPECT_FALSE(few_cores_remark(2));
}

TEST(AssignWhatIsThere, LeavesTheLastRanksWithoutADevice) {
  const Lists visible(3, {"a", "b"});
  EXPECT_EQ(assign_what_is_there(visible, 0), 0);
  EXPECT_EQ(assign_what_is_there(visible, 1), 1);
  EXPECT_EQ(assign_what_is_there(visible, 2), std::nullopt);
}

TEST(AssignWhatIsThere, LeavesTheRankThatIsShownNone) {
  const Lists visible{{"a"}, {}, {"c"}};
  EXPECT_EQ(assign_what_is_there(visible, 0), 0);
  EXPECT_EQ(assign_what_is_there(visible, 1), std::nullopt);
  EXPECT_EQ(assign_what_is_there(visible, 2), 0);
}

TEST(AssignWhatIsThere, GivesNothingOnANodeWithoutDevices) {
  EXPECT_EQ(assign_what_is_there(Lists(2), 0), std::nullopt);
}

TEST(LocalRank, IsWhatMpiSees) {
  EXPECT_EQ(local_rank(2, 4, variables_of({{"SLURM_LOCALID", "7"}})), 2);
}

TEST(LocalRank, ComesFromTheLauncherWhereMpiSeesOneRankAlone) {
  EXPECT_EQ(local_rank(0, 1, variables_of({{"SLURM_LOCALID", "3"}})), 3);
  EXPECT_EQ(local_rank(0, 1, variables_of({{"OMPI_COMM_WORLD_LOCAL_RANK", "2"}})), 2);
  EXPECT_EQ(local_rank(0, 1, variables_of({})), 0);
  EXPECT_EQ(local_rank(0, 1, variables_of({{"SLURM_LOCALID", "3x"}})), 0);
  EXPECT_EQ(local_rank(0, 1, variables_of({{"SLURM_LOCALID", "-1"}})), 0);
}

TEST(VisibilityText, NamesTheVariablesThatAreSet) {
  const std::vector<std::string> names{"A_VISIBLE_DEVICES", "B_VISIBLE_DEVICES"};
  EXPECT_EQ(visibility_text(names, variables_of({{"B_VISIBLE_DEVICES", "0,1"}})),
            "B_VISIBLE_DEVICES=0,1");
  EXPECT_EQ(visibility_text(names, variables_of({})), "");
}

TEST(SettleThisThread, BindsItAndThoseThatItStarts) {
  const CoreSet all = available_cores();
  std::thread([&] {
    const CoreSet last{all.back()};
    ASSERT_FALSE(settle_this_thread(last, {all.back().numa_node}));
    EXPECT_EQ(available_cores(), last);
    std::thread([&] { EXPECT_EQ(sched_getcpu(), all.back().cpu); }).join();
  }).join();
  EXPECT_EQ(available_cores(), all);
}

TEST(SettleThisThread, TellsWhatCannotBe) {
  EXPECT_TRUE(settle_this_thread({Core{.cpu = 100000, .id = 100000}}, {}));
  EXPECT_TRUE(settle_this_thread({}, {}));
}

}  // namespace
}  // namespace hpl
