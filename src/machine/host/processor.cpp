#include "hpl/machine/host/processor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <string>
#include <string_view>

#include "hpl/base/record/record.h"
#include "hpl/base/text/quantity.h"
#include "hpl/machine/host/versions.h"

namespace hpl {

CpuFeatures parse_cpu_features(std::string_view cpuinfo) {
  auto line = keyed_value(cpuinfo, "flags");
  if (line.empty()) line = keyed_value(cpuinfo, "Features");
  CpuFeatures features;
  for (const auto word : split_words(line))
    features.emplace(word);
  return features;
}

CpuFeatures cpu_features(const FileReader& read) {
  return parse_cpu_features(read("/proc/cpuinfo").value_or(""));
}

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
  if (const auto mhz = number(keyed_value(cpuinfo, "cpu MHz"))) return Clock{*mhz, "/proc/cpuinfo"};
  return std::nullopt;
}

}  // namespace

std::optional<double> cpu_clock_mhz(const FileReader& read) {
  const auto clock = clock_of(read, read("/proc/cpuinfo").value_or(""));
  return clock ? std::optional(clock->mhz) : std::nullopt;
}

std::optional<PeakRate> cpu_peak(int cores, const FileReader& read) {
  const std::string cpuinfo = read("/proc/cpuinfo").value_or("");
  const VectorUnit* const unit = vector_unit(parse_cpu_features(cpuinfo));
  const auto clock = clock_of(read, cpuinfo);
  if (unit == nullptr || !clock || cores < 1) return std::nullopt;
  // AMD's first AVX-512 makes an operation of 512 bits in two halves.
  const bool in_halves = unit->flops_per_cycle == 32 &&
                         keyed_value(cpuinfo, "vendor_id") == "AuthenticAMD" &&
                         number(keyed_value(cpuinfo, "cpu family")) == kAmdZen4Family;
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

void describe(Record& record, ProcessorTime& time) {
  record("host", time.host);
  record("cores", time.cores);
  record("all", time.all);
  record("own", time.own);
  record("beside", time.beside);
}

namespace {

/// Numbers of /proc/PID/stat behind the name of the program, which may hold anything.
struct ProcessStat {
  std::int64_t ticks = 0;  ///< of processors, by the program and for it
  std::int64_t started = 0;
};

std::optional<ProcessStat> stat_of(const std::string& process, const FileReader& read) {
  constexpr std::size_t kUser = 11, kSystem = 12, kStarted = 19;
  const std::string text = read("/proc/" + process + "/stat").value_or("");
  const auto words =
      split_words(std::string_view(text).substr(std::min(text.size(), text.rfind(')') + 1)));
  if (words.size() <= kStarted) return std::nullopt;
  const auto number = [&](std::size_t at) { return parse_integer(words[at]).value_or(0); };
  return ProcessStat{number(kUser) + number(kSystem), number(kStarted)};
}

}  // namespace

ProcessId this_process(const FileReader& read) {
  return {getpid(), stat_of("self", read).value_or(ProcessStat{}).started};
}

ProcessorTime processor_time(std::span<const ProcessId> beside, const FileReader& read) {
  ProcessorTime time{.host = host_name(),
                     .cores = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)))};
  // user nice system idle iowait irq softirq steal; guests are part of the first two.
  constexpr std::size_t kIdle = 4, kWaiting = 5, kLast = 8;
  const std::string text = read("/proc/stat").value_or("");
  const auto words = split_words(std::string_view(text).substr(0, text.find('\n')));
  double ticks = 0;
  for (std::size_t i = 1; i <= kLast && i < words.size() && words[0] == "cpu"; ++i)
    if (i != kIdle && i != kWaiting)
      ticks += static_cast<double>(parse_integer(words[i]).value_or(0));
  time.all = ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  time.own = static_cast<double>(own.tv_sec) + 1e-9 * static_cast<double>(own.tv_nsec);
  for (const ProcessId& process : beside) {
    const auto stat = stat_of(std::to_string(process.number), read);
    // Containers number their processes anew.
    if (!stat || stat->started != process.started) {
      time.all = 0;
      return time;
    }
    time.beside += static_cast<double>(stat->ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  return time;
}

ProcessorTime operator-(ProcessorTime end, const ProcessorTime& begin) {
  end.all = end.all > 0 && begin.all > 0 ? end.all - begin.all : 0;
  end.own -= begin.own;
  end.beside -= begin.beside;
  return end;
}

}  // namespace hpl
