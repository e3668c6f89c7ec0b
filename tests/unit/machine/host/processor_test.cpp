#include "hpl/machine/host/processor.h"

#include <array>
#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace hpl {
namespace {

TEST(CpuInfo, ReadsTheFlagsOfTheFirstProcessor) {
  const auto* text =
      "processor\t: 0\nflags\t\t: fpu avx2 fma\n\n"
      "processor\t: 1\nflags\t\t: sse\n";
  EXPECT_EQ(parse_cpu_features(text), (CpuFeatures{"avx2", "fma", "fpu"}));
}

TEST(CpuInfo, ReadsTheArmSpelling) {
  const auto* text = "processor\t: 0\nFeatures\t: fp asimd sve\nCPU implementer\t: 0x41\n";
  EXPECT_EQ(parse_cpu_features(text), (CpuFeatures{"asimd", "fp", "sve"}));
}

TEST(CpuInfo, HasNoFeaturesWithoutAFlagsLine) {
  EXPECT_TRUE(parse_cpu_features("").empty());
  EXPECT_TRUE(parse_cpu_features("vmx flags\t: ept vpid\n").empty());
}

constexpr const char* kBase = "/sys/devices/system/cpu/cpu0/cpufreq/base_frequency";
constexpr const char* kHighest = "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq";

/// A machine of these files.
FileReader files(const std::map<std::string, std::string>& content) {
  return [content](const std::string& path) -> std::optional<std::string> {
    const auto found = content.find(path);
    return found == content.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(CpuPeak, IsCoresTimesFlopsTimesClock) {
  const auto peak = cpu_peak(48, files({{"/proc/cpuinfo", "flags : sse2 avx fma avx512f\n"},
                                        {kBase, "2100000\n"},
                                        {kHighest, "3800000\n"}}));
  ASSERT_TRUE(peak);
  EXPECT_DOUBLE_EQ(peak->gflops, 48 * 32 * 2.1);
  EXPECT_EQ(peak->source, "48 cores x 32 flop/cycle (AVX-512) x 2100 MHz (base clock)");
}

TEST(CpuPeak, TakesTheBestClockThatIsTold) {
  const std::string cpuinfo = "cpu MHz : 2596.096\nflags : sse2 avx fma\n";
  const auto highest = cpu_peak(1, files({{"/proc/cpuinfo", cpuinfo}, {kHighest, "3000000\n"}}));
  ASSERT_TRUE(highest);
  EXPECT_DOUBLE_EQ(highest->gflops, 16 * 3.0);
  EXPECT_NE(highest->source.find("3000 MHz (highest clock)"), std::string::npos);
  const auto shown = cpu_peak(1, files({{"/proc/cpuinfo", cpuinfo}}));
  ASSERT_TRUE(shown);
  EXPECT_DOUBLE_EQ(shown->gflops, 16 * 2.596096);
  EXPECT_NE(shown->source.find("2596 MHz (/proc/cpuinfo)"), std::string::npos);
}

TEST(CpuPeak, KnowsThatZen4HalvesItsWidestVectors) {
  const std::string flags = "flags : sse2 avx fma avx512f\n";
  const auto flops = [&](const std::string& processor) {
    const auto peak =
        cpu_peak(1, files({{"/proc/cpuinfo", processor + flags}, {kBase, "1000000"}}));
    return peak ? peak->gflops : 0;
  };
  EXPECT_EQ(flops("vendor_id : AuthenticAMD\ncpu family : 25\n"), 16);
  EXPECT_EQ(flops("vendor_id : AuthenticAMD\ncpu family : 26\n"), 32);
  EXPECT_EQ(flops("vendor_id : GenuineIntel\ncpu family : 6\n"), 32);
}

TEST(CpuPeak, IsUnknownWithoutClockOrVectors) {
  EXPECT_FALSE(cpu_peak(1, files({{"/proc/cpuinfo", "flags : fma\n"}})));
  EXPECT_FALSE(cpu_peak(1, files({{kBase, "1000000"}})));
  EXPECT_FALSE(cpu_peak(1, files({{"/proc/cpuinfo", "flags : fma\n"}, {kBase, "<unknown>"}})));
  // The width of SVE is the processor's choice.
  EXPECT_FALSE(
      cpu_peak(1, files({{"/proc/cpuinfo", "Features : asimd sve\n"}, {kBase, "1000000"}})));
}

TEST(DevicePeak, IsUnitsTimesFlopsTimesHighestClock) {
  const auto peak =
      device_peak({.compute_units = 132, .flops_per_cycle = 256}, {.maximum_clock_mhz = 1980});
  ASSERT_TRUE(peak);
  EXPECT_DOUBLE_EQ(peak->gflops, 132 * 256 * 1.98);
  EXPECT_FALSE(device_peak({.compute_units = 132}, {.maximum_clock_mhz = 1980}));
  EXPECT_FALSE(device_peak({.compute_units = 132, .flops_per_cycle = 256}, {}));
}

TEST(ProcessorTime, CountsWhatAHostDidAndAHypervisorTook) {
  const ProcessorTime time = processor_time({}, [](const std::string& path) {
    return path == "/proc/stat"
               ? std::optional<std::string>("cpu  100 20 30 5000 700 4 6 40 90 0\ncpu0 1 1 1 1\n")
               : std::nullopt;
  });
  EXPECT_DOUBLE_EQ(time.all * static_cast<double>(sysconf(_SC_CLK_TCK)), 200);
  EXPECT_GE(time.cores, 1);
}

TEST(ProcessorTime, OfAHostThatDoesNotTellIsNone) {
  EXPECT_EQ(processor_time({}, [](const std::string&) { return std::nullopt; }).all, 0);
}

/// A host with the process 7 of this name, which started at 300 and took 50 + 25 ticks.
std::optional<std::string> file_of_host(const std::string& path) {
  if (path == "/proc/stat") return "cpu  1000 0 0 0 0 0 0 0 0 0\n";
  if (path != "/proc/7/stat") return std::nullopt;
  return "7 (a ) name) S 1 7 7 0 -1 4194560 0 0 0 0 50 25 0 0 20 0 4 0 300 1000 200";
}

TEST(ProcessorTime, CountsProcessesOfTheJobThatHaveOtherWork) {
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const std::array beside{ProcessId{7, 300}};
  const ProcessorTime time = processor_time(beside, file_of_host);
  EXPECT_DOUBLE_EQ(time.all * ticks, 1000);
  EXPECT_DOUBLE_EQ(time.beside * ticks, 75);
}

TEST(ProcessorTime, IsUnknownWhereAProcessIsNotTheOneThatWasMeant) {
  for (const ProcessId other : {ProcessId{7, 299}, ProcessId{8, 300}}) {
    const std::array beside{other};
    const ProcessorTime time = processor_time(beside, file_of_host);
    EXPECT_EQ(time.all, 0);
    EXPECT_EQ((processor_time({}, file_of_host) - time).all, 0);
  }
}

TEST(ProcessorTime, OfThisProcessIsWhatOthersFindOfIt) {
  const std::array beside{this_process()};
  const ProcessorTime time = processor_time(beside);
  EXPECT_GT(time.all, 0);
  EXPECT_NEAR(time.beside, time.own, 0.1);
}

TEST(ProcessorTime, OfThisProcessGrows) {
  const ProcessorTime begin = processor_time();
  double now = 0;
  while (now < 0.002)
    now = (processor_time() - begin).own;
  EXPECT_GE((processor_time() - begin).own, now);
}

}  // namespace
}  // namespace hpl
