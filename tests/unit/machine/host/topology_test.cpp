#include "hpl/machine/host/topology.h"

#include <sched.h>

#include <fstream>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(Topology, ThisProcessMayUseACoreAndNoneTwice) {
  const auto cores = available_cores();
  ASSERT_FALSE(cores.empty());
  std::set<int> ids;
  for (const auto& core : cores) {
    EXPECT_TRUE(ids.insert(core.id).second);
  }
  EXPECT_GE(allowed_core_count(), static_cast<int>(cores.size()));
}

TEST(Topology, FollowsTheAffinityMaskOfTheThread) {
  const auto last = available_cores().back();
  std::thread([&] {
    ASSERT_FALSE(bind_this_thread(last.cpu));
    EXPECT_EQ(available_cores(), CoreSet{last});
  }).join();
}

TEST(CpuModel, IsWhatTheKernelCallsTheProcessor) {
  const std::string model = cpu_model();
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) {
      EXPECT_NE(line.find(": " + model), std::string::npos) << model << ", but " << line;
      return;
    }
  EXPECT_FALSE(model.empty());  // other architectures: a name or "unknown"
}

TEST(Binding, RunsTheThreadOnItsProcessorAndGivesTheMaskBack) {
  const auto before = available_cores();
  const int cpu = before.back().cpu;
  {
    const ScopedBinding binding(cpu);
    ASSERT_FALSE(binding.remark()) << *binding.remark();
    EXPECT_EQ(sched_getcpu(), cpu);
  }
  EXPECT_EQ(available_cores(), before);
}

TEST(Binding, AFailureIsARemarkAndChangesNothing) {
  const auto before = available_cores();
  for (const int cpu : {-1, 100000, 1 << 30}) {
    const ScopedBinding binding(cpu);
    ASSERT_TRUE(binding.remark());
    EXPECT_NE(binding.remark()->find(std::to_string(cpu)), std::string::npos);
  }
  EXPECT_EQ(available_cores(), before);
}

}  // namespace
}  // namespace hpl
