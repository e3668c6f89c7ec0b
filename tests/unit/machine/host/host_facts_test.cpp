#include "hpl/machine/host/host_facts.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sched.h>

#include "hpl/machine/host/topology.h"
#include "hpl/machine/host/versions.h"

namespace hpl {
namespace {

std::map<std::string, std::string> facts_of(const std::map<std::string, std::string>& files) {
  std::map<std::string, std::string> facts;
  for (const auto& [name, value] : host_facts([&](const std::string& path) {
         const auto found = files.find(path);
         return found == files.end() ? std::nullopt : std::optional(found->second);
       }))
    facts[name] = value;
  return facts;
}

TEST(HostFacts, TellMakerBoardFirmwareAndKernel) {
  const auto facts = facts_of({{"/sys/class/dmi/id/sys_vendor", "Maker\n"},
                               {"/sys/class/dmi/id/product_name", "Box 9\n"},
                               {"/sys/class/dmi/id/board_name", "B1\n"},
                               {"/sys/class/dmi/id/bios_version", "2.4\n"},
                               {"/sys/class/dmi/id/bios_date", "01/02/2026\n"},
                               {"/proc/sys/kernel/osrelease", "6.1.0-18\n"},
                               {"/proc/meminfo", "MemTotal:       263850000 kB\nMemFree: 1 kB\n"},
                               {"/etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian 12\"\n"},
                               {"/proc/cpuinfo", "microcode\t: 0xb000\nmicrocode : 0xb001\n"}});
  EXPECT_EQ(facts.at("system"), "Maker Box 9");
  EXPECT_EQ(facts.at("board"), "B1");
  EXPECT_EQ(facts.at("bios"), "2.4 01/02/2026");
  EXPECT_EQ(facts.at("kernel"), "6.1.0-18");
  EXPECT_EQ(facts.at("memory"), "252 GiB");
  EXPECT_EQ(facts.at("os"), "Debian 12");
  EXPECT_EQ(facts.at("microcode"), "0xb000");
}

/// Two packages of two cores with two threads each, of which one is switched off.
TEST(HostFacts, CountSocketsAndCoresAndTellTheClock) {
  std::map<std::string, std::string> files{
      {"/sys/devices/system/cpu/present", "0-7\n"},
      {"/sys/devices/system/cpu/cpu0/cpufreq/base_frequency", "2450000\n"}};
  for (int cpu = 0; cpu < 7; ++cpu) {
    const std::string topology = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    files[topology + "physical_package_id"] = std::to_string(cpu % 4 / 2) + "\n";
    files[topology + "core_id"] = std::to_string(cpu % 2) + "\n";
  }
  const auto facts = facts_of(files);
  EXPECT_EQ(facts.at("sockets"), "2");
  EXPECT_EQ(facts.at("cores"), "4");
  EXPECT_EQ(facts.at("clock"), "2450 MHz");
  EXPECT_EQ(facts_of({}).count("cores"), 0U);
}

TEST(HostFacts, NameTheFileOfTheBlas) {
  const auto facts = facts_of({});
  const auto blas = std::ranges::find_if(facts, [](const auto& fact) {
    return fact.first == "libopenblas" || fact.first == "libblas" || fact.first == "libblis" ||
           fact.first.starts_with("libmkl");
  });
  if (blas == facts.end()) GTEST_SKIP() << "the BLAS of this build is part of the program";
  EXPECT_NE(blas->second.find(".so"), std::string::npos) << blas->second;
}

TEST(HostFacts, LeaveOutWhatIsNotTold) {
  const auto facts = facts_of({{"/sys/class/dmi/id/product_serial", "To Be Filled By O.E.M.\n"}});
  EXPECT_EQ(facts.count("serial"), 0U);
  EXPECT_EQ(facts.count("bios"), 0U);
  EXPECT_EQ(facts.count("processor"), 1U);
}

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

TEST(Versions, CutsAnMpiBannerToItsName) {
  EXPECT_EQ(short_library_version("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, 2022"),
            "Open MPI v4.1.4");
  EXPECT_EQ(short_library_version("\n  MPICH Version:\t4.0.2\nMPICH Release date: ...\n"),
            "MPICH Version:\t4.0.2");
  EXPECT_EQ(short_library_version(" \n"), "unknown");
}

TEST(Versions, NameProgramCompilerMpiBlasAndBackEnds) {
  const auto lines = version_lines({.mpi_library = "Some MPI 1.2, built today",
                                    .back_ends = {"cpu", "cuda 13.0"},
                                    .not_built = {"hip"}});
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0].first, "xhpl");
  EXPECT_EQ(lines[0].second, program_version() + ", commit unknown");  // tests have none
  EXPECT_EQ(lines[1].second, compiler_version());
  EXPECT_EQ(lines[2].second, "Some MPI 1.2");
  EXPECT_FALSE(lines[3].second.empty());
  EXPECT_EQ(lines[4].second, "cpu, cuda 13.0 (not built: hip)");
}

TEST(Versions, DescribeTheHostWithoutAnEmptyValue) {
  for (const auto& [label, value] : host_lines()) {
    EXPECT_FALSE(value.empty()) << label;
  }
}

TEST(Versions, ABatchJobHasTheNumberThatItsSystemGave) {
  const auto job = [](const std::string& variable) {
    return batch_job([&](const char* name) {
      return name == variable ? std::optional<std::string>("4711") : std::nullopt;
    });
  };
  EXPECT_EQ(to_string(job("SLURM_JOB_ID").value()), "Slurm job 4711");
  EXPECT_EQ(to_string(job("PBS_JOBID").value()), "PBS job 4711");
  EXPECT_FALSE(job("NONE"));
}

TEST(Versions, AHostHasTheNameThatSlurmTakes) {
  const auto name = [](const char* own, std::optional<std::string> slurm) {
    return name_for_scheduler(own, [&](const char*) { return slurm; });
  };
  EXPECT_EQ(name("node01.cluster.site", "node01"), "node01");
  EXPECT_EQ(name("node01", "node01"), "node01");
  EXPECT_EQ(name("node01.cluster", std::nullopt), "node01.cluster");
  EXPECT_EQ(name("node01.cluster", ""), "node01.cluster");
  EXPECT_EQ(name("node011.cluster", "node01"), "node011.cluster");
  EXPECT_EQ(name("node02.cluster", "node01"), "node02.cluster") << "copied from another host";
}

}  // namespace
}  // namespace hpl
