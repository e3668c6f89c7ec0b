#include "hpl/report/result/component_power.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "hpl/base/text/quantity.h"
#include "hpl/report/result/device_telemetry.h"

namespace hpl {

namespace {

/// The sensors that a back end reads.
std::string_view sensors_of(std::string_view backend) {
  if (backend == "cuda") return "NVML";
  if (backend == "hip") return "ROCm SMI";
  return "RAPL";
}

std::string sensors_text(std::span<const DeviceTelemetry> devices) {
  std::map<std::string_view, int> counts;
  for (const DeviceTelemetry& device : devices)
    ++counts[sensors_of(device.backend)];
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", name, count_text(count, "device"));
  return text;
}

void add(PowerAverages& all, const PowerAverages& one) {
  all.watts += one.watts;
  all.joules += one.joules;
  all.covered = std::min(all.covered, one.covered);
  all.samples = std::min(all.samples, one.samples);
  all.longest_gap = std::max(all.longest_gap, one.longest_gap);
  for (std::size_t i = 0; i < all.tenths.size(); ++i) {
    const bool known = all.tenths[i] && i < one.tenths.size() && one.tenths[i];
    all.tenths[i] = known ? std::optional(*all.tenths[i] + *one.tenths[i]) : std::nullopt;
  }
}

}  // namespace

std::optional<ComponentPower> component_power(std::span<const DeviceTelemetry> devices) {
  const std::vector<DeviceTelemetry> distinct = distinct_devices(devices);
  std::optional<ComponentPower> power;
  std::vector<double> joules(kPhaseCount, 0);
  for (const DeviceTelemetry& device : distinct) {
    if (!device.sensors.core_power) return std::nullopt;
    if (power)
      add(power->averages, *device.sensors.core_power);
    else
      power = ComponentPower{sensors_text(distinct), *device.sensors.core_power, {}, {}};
    for (std::size_t i = 0; i < std::min(joules.size(), device.sensors.phase_joules.size()); ++i)
      joules[i] += device.sensors.phase_joules[i];
  }
  for (std::size_t i = 0; power && i < joules.size(); ++i)
    if (joules[i] > 0)
      power->phase_joules.emplace_back(to_string(static_cast<Phase>(i)), joules[i]);
  return power;
}

std::int64_t node_count(std::span<const DeviceTelemetry> devices) {
  std::set<std::string_view> hosts;
  for (const DeviceTelemetry& device : devices)
    hosts.insert(device.host);
  return static_cast<std::int64_t>(hosts.size());
}

}  // namespace hpl
