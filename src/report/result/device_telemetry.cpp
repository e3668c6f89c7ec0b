#include "hpl/report/result/device_telemetry.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "hpl/base/number/statistics.h"

namespace hpl {
namespace {

/// "rank 3 on node01, cuda 3 (91 C), ... and 12 more"
class Names {
 public:
  void add(const DeviceTelemetry& device, const std::string& value) {
    if (++count_ > kShown) return;
    text_ += fmt::format("{}rank {} on {}, {} {} ({})", text_.empty() ? "" : "; ", device.rank,
                         device.host, device.backend, device.device_index, value);
  }
  int count() const { return count_; }
  std::string text() const {
    return count_ > kShown ? fmt::format("{}; and {} more", text_, count_ - kShown) : text_;
  }

 private:
  static constexpr int kShown = 8;
  int count_ = 0;
  std::string text_;
};

std::optional<double> median_clock(std::span<const DeviceTelemetry> devices) {
  std::vector<double> clocks;
  for (const DeviceTelemetry& device : devices)
    if (device.sensors.clock_mhz) clocks.push_back(device.sensors.clock_mhz->mean);
  if (clocks.empty()) return std::nullopt;
  return median(std::move(clocks));
}

void append_throttled(std::vector<std::string>& findings,
                      std::span<const DeviceTelemetry> devices) {
  struct Case {
    Names names;
    double least = 1, most = 0;
  };
  std::map<std::string, Case> cases;
  for (const DeviceTelemetry& device : devices)
    for (const auto& [reason, share] : device.sensors.throttle_reasons) {
      Case& found = cases[reason];
      found.names.add(device, fmt::format("{:.0f} % of the samples", 100 * share));
      found.least = std::min(found.least, share);
      found.most = std::max(found.most, share);
    }
  for (const auto& [reason, found] : cases) {
    // What holds for all says nothing about one of them; and chips at their limit are held there.
    const bool alike = found.names.count() == std::ssize(devices);
    if (alike && reason == kPowerCap) continue;
    const bool all = alike && devices.size() > 1;
    findings.push_back(
        fmt::format("throttled, {}: {}", reason,
                    all ? fmt::format("all {} devices ({:.0f} to {:.0f} % of the samples)",
                                      devices.size(), 100 * found.least, 100 * found.most)
                        : found.names.text()));
  }
}

}  // namespace

std::vector<DeviceTelemetry> distinct_devices(std::span<const DeviceTelemetry> devices) {
  std::set<std::tuple<std::string, std::string, int>> known;
  std::vector<DeviceTelemetry> distinct;
  for (const DeviceTelemetry& device : devices)
    if (known.emplace(device.host, device.backend, device.device_index).second)
      distinct.push_back(device);
  return distinct;
}

std::optional<double> total_power(std::span<const DeviceTelemetry> devices) {
  double watts = 0;
  for (const DeviceTelemetry& device : distinct_devices(devices)) {
    if (!device.sensors.power_watts) return std::nullopt;
    watts += device.sensors.core_power ? device.sensors.core_power->watts
                                       : device.sensors.power_watts->mean;
  }
  return watts > 0 ? std::optional(watts) : std::nullopt;
}

std::optional<double> gflops_per_watt(const RunResult& result) {
  const auto watts = total_power(result.devices);
  return watts && !result.stopped ? std::optional(result.gflops / *watts) : std::nullopt;
}

std::vector<std::string> device_findings(std::span<const DeviceTelemetry> devices) {
  const std::vector<DeviceTelemetry> distinct = distinct_devices(devices);
  std::vector<std::string> findings;
  append_throttled(findings, distinct);

  Names hot;
  for (const DeviceTelemetry& device : distinct)
    if (const auto& celsius = device.sensors.temperature_celsius;
        celsius && celsius->maximum > kHotCelsius)
      hot.add(device, fmt::format("{:.0f} C", celsius->maximum));
  if (hot.count() > 0)
    findings.push_back(fmt::format("hotter than {:.0f} C: {}", kHotCelsius, hot.text()));

  const auto median = median_clock(distinct);
  Names slow;
  for (const DeviceTelemetry& device : distinct)
    if (const auto& clock = device.sensors.clock_mhz;
        clock && clock->mean < (1 - kSlowClockFraction) * *median)
      slow.add(device, fmt::format("{:.0f} MHz", clock->mean));
  if (slow.count() > 0)
    findings.push_back(fmt::format("clock more than {:.0f} % below the median of {:.0f} MHz: {}",
                                   100 * kSlowClockFraction, *median, slow.text()));
  return findings;
}

}  // namespace hpl
