#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// Each device once, where ranks share some: that of the lowest rank.
std::vector<DeviceTelemetry> distinct_devices(std::span<const DeviceTelemetry> devices);

/// Mean power of all devices together; empty unless each of them has a sensor. Watts.
std::optional<double> total_power(std::span<const DeviceTelemetry> devices);
/// result.gflops over total_power(); empty of a run that was stopped early.
std::optional<double> gflops_per_watt(const RunResult& result);

/// Above this a device is called hot. Degrees Celsius.
inline constexpr double kHotCelsius = 85;
/// A device whose mean clock is so much below the median of all is called slow.
inline constexpr double kSlowClockFraction = 0.03;

/// Why chips at full load are held down by design: on all devices alike it is no finding.
inline constexpr std::string_view kPowerCap = "power cap";

/// One sentence for each thing to know: which devices were throttled and why, were hot, or ran at a
/// lower clock than the others.
std::vector<std::string> device_findings(std::span<const DeviceTelemetry> devices);

/// The power of all devices together over the core phase by their sensors, without a trace; empty
/// unless each device has a sensor. Samples and cover are those of the device that has the fewest.
std::optional<ComponentPower> component_power(std::span<const DeviceTelemetry> devices);

/// Different hosts among them.
std::int64_t node_count(std::span<const DeviceTelemetry> devices);

}  // namespace hpl
