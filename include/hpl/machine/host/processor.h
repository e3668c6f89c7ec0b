#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "hpcx/device.h"
#include "hpl/base/result/peak_rate.h"
#include "hpl/machine/host/text_file.h"

namespace hpl {

/// Names of instruction set extensions as /proc/cpuinfo spells them ("avx2", "avx512f"). The kernel
/// lists only those it has enabled, which the CPUID instruction alone does not tell.
using CpuFeatures = std::set<std::string, std::less<>>;

/// From the first "flags" (x86) or "Features" (Arm) line of a /proc/cpuinfo text; empty without
/// one.
CpuFeatures parse_cpu_features(std::string_view cpuinfo);

CpuFeatures cpu_features(const FileReader& read = read_text_file);

/// FP64 peak of so many cores: cores x clock x flops per cycle. Flops per cycle follow from the
/// vectors that /proc/cpuinfo names, with two units for fused multiply-add a core. The clock is the
/// base clock where Linux tells it, as in the TOP500's Rpeak, else the highest, else the one that
/// /proc/cpuinfo shows. Empty where either is unknown.
std::optional<PeakRate> cpu_peak(int cores, const FileReader& read = read_text_file);

/// That clock, MHz; empty if the system does not report it.
std::optional<double> cpu_clock_mhz(const FileReader& read = read_text_file);

/// FP64 peak of a device at its highest clock. Empty where the back end does not know how many
/// operations a unit makes in a cycle, or no sensor tells the clock.
std::optional<PeakRate> device_peak(const hpcx::DeviceProperties& device,
                                    const hpcx::DeviceHealth& health);

class Record;

/// A process of this host, so that no other one of the same number is taken for it.
struct ProcessId {
  std::int64_t number = 0;
  std::int64_t started = 0;  ///< ticks since the host started

  bool operator==(const ProcessId&) const = default;
};
ProcessId this_process(const FileReader& read = read_text_file);

/// Processor time since some moment, and the processors that could give it.
struct ProcessorTime {
  std::string host;
  int cores = 1;      ///< of the host
  double all = 0;     ///< s, of all processes of the host, and what a hypervisor gave to others
  double own = 0;     ///< s, of this process
  double beside = 0;  ///< s, of processes of this job that have other work
};
void describe(Record& record, ProcessorTime& time);

/// Since the host and the processes started. `beside`: processes of this job on this host that have
/// other work meanwhile. `all` is 0 where the system does not tell, of one of them or at all.
ProcessorTime processor_time(std::span<const ProcessId> beside = {},
                             const FileReader& read = read_text_file);

/// From `begin` to `end`; `all` is 0 where one of them does not tell.
ProcessorTime operator-(ProcessorTime end, const ProcessorTime& begin);

}  // namespace hpl
