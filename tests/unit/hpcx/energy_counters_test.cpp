#include "cpu/cpu_telemetry.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace hpcx::cpu {
namespace {

class EnergyCountersTest : public testing::Test {
 protected:
  void zone(const std::string& directory, const std::string& name, double microjoules) {
    std::filesystem::create_directories(powercap_ / directory);
    std::ofstream(powercap_ / directory / "name") << name << "\n";
    std::ofstream(powercap_ / directory / "max_energy_range_uj") << "10000000\n";
    count(directory, microjoules);
  }
  void count(const std::string& directory, double microjoules) {
    std::ofstream(powercap_ / directory / "energy_uj") << static_cast<long long>(microjoules);
  }

  hpl::test::TemporaryDirectory powercap_;
};

TEST_F(EnergyCountersTest, AddPackagesAndMemoryAndNothingTwice) {
  zone("intel-rapl:0", "package-0", 1e6);
  zone("intel-rapl:0:0", "core", 1e6);
  zone("intel-rapl:0:1", "dram", 1e6);
  zone("intel-rapl:1", "package-1", 1e6);
  zone("intel-rapl:2", "psys", 1e6);
  zone("intel-rapl-mmio:0", "package-0", 1e6);
  EnergyCounters counters(powercap_.path());
  EXPECT_EQ(counters.joules(), 0);
  for (const char* directory : {"intel-rapl:0", "intel-rapl:0:0", "intel-rapl:0:1", "intel-rapl:1",
                                "intel-rapl:2", "intel-rapl-mmio:0"})
    count(directory, 3e6);
  EXPECT_DOUBLE_EQ(*counters.joules(), 6);
}

TEST_F(EnergyCountersTest, GoOnWhereTheyWrap) {
  zone("intel-rapl:0", "package-0", 9.5e6);
  EnergyCounters counters(powercap_.path());
  count("intel-rapl:0", 0.25e6);
  EXPECT_DOUBLE_EQ(*counters.joules(), 0.75);
  count("intel-rapl:0", 1.25e6);
  EXPECT_DOUBLE_EQ(*counters.joules(), 1.75);
}

TEST_F(EnergyCountersTest, AreNoneWhereNothingCanBeRead) {
  EXPECT_FALSE(EnergyCounters(powercap_.path()).joules());
  EXPECT_FALSE(EnergyCounters(powercap_ / "none").joules());
}

}  // namespace
}  // namespace hpcx::cpu
