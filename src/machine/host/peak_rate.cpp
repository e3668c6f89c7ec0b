#include "hpl/machine/host/peak_rate.h"

#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "hpl/base/text/quantity.h"
#include "hpl/machine/host/cpu_info.h"

namespace hpl {
namespace {

struct VectorUnit {
  const char* feature;  ///< as /proc/cpuinfo spells it
  const char* name;
  int flops_per_cycle;  ///< FP64, of a core
};

/// The widest first. SVE is left out: its width is the processor's choice.
constexpr std::array<VectorUnit, 5> kVectorUnits{{
    {"avx512f", "AVX-512", 32},
    {"fma", "AVX2, FMA", 16},
    {"avx", "AVX", 8},
    {"sse2", "SSE2", 4},
    {"asimd", "Advanced SIMD", 8},
}};

constexpr int kAmdZen4Family = 25;

const VectorUnit* vector_unit(const CpuFeatures& features) {
  if (features.contains("sve")) return nullptr;
  for (const VectorUnit& unit : kVectorUnits)
    if (features.contains(unit.feature)) return &unit;
  return nullptr;
}

std::optional<double> number(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() || !(value > 0)) return std::nullopt;
  return value;
}

struct Clock {
  double mhz = 0;
  const char* source = "";
};

std::optional<Clock> clock_of(const FileReader& read, std::string_view cpuinfo) {
  constexpr std::array<Clock, 2> kFiles{{{0, "base clock"}, {0, "highest clock"}}};
  constexpr std::array<const char*, 2> kPaths{
      "/sys/devices/system/cpu/cpu0/cpufreq/base_frequency",
      "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"};
  for (std::size_t i = 0; i < kPaths.size(); ++i)
    if (const auto khz = number(read(kPaths[i]).value_or("")))
      return Clock{*khz / 1e3, kFiles[i].source};
  if (const auto mhz = number(cpu_info_value(cpuinfo, "cpu MHz")))
    return Clock{*mhz, "/proc/cpuinfo"};
  return std::nullopt;
}

}  // namespace

std::optional<PeakRate> cpu_peak(int cores, const FileReader& read) {
  const std::string cpuinfo = read("/proc/cpuinfo").value_or("");
  const VectorUnit* const unit = vector_unit(parse_cpu_features(cpuinfo));
  const auto clock = clock_of(read, cpuinfo);
  if (unit == nullptr || !clock || cores < 1) return std::nullopt;
  // AMD's first AVX-512 makes an operation of 512 bits in two halves.
  const bool in_halves = unit->flops_per_cycle == 32 &&
                         cpu_info_value(cpuinfo, "vendor_id") == "AuthenticAMD" &&
                         number(cpu_info_value(cpuinfo, "cpu family")) == kAmdZen4Family;
  const int flops = in_halves ? 16 : unit->flops_per_cycle;
  return PeakRate{
      cores * flops * clock->mhz / 1e3,
      fmt::format("{} x {} flop/cycle ({}) x {:.0f} MHz ({})", count_text(cores, "core"), flops,
                  unit->name, clock->mhz, clock->source)};
}

std::optional<PeakRate> device_peak(const hpcx::DeviceProperties& device,
                                    const hpcx::DeviceHealth& health) {
  if (device.flops_per_cycle <= 0 || !health.maximum_clock_mhz) return std::nullopt;
  return PeakRate{device.compute_units * device.flops_per_cycle * *health.maximum_clock_mhz / 1e3,
                  fmt::format("{} x {} flop/cycle x {:.0f} MHz (highest clock)",
                              count_text(device.compute_units, "multiprocessor"),
                              device.flops_per_cycle, *health.maximum_clock_mhz)};
}

}  // namespace hpl
