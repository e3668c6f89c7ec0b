#include "hpl/report/result/device_telemetry.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "hpl/base/number/statistics.h"
#include "hpl/report/result/device_telemetry_json.h"
#include "hpl/report/result/json_values.h"
#include "hpl/report/result/run_power_json.h"

namespace hpl {
namespace {

using Json = nlohmann::ordered_json;

std::optional<SensorRange> range_of(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return SensorRange{
      .minimum = value.at("minimum"), .mean = value.at("mean"), .maximum = value.at("maximum")};
}

Json phase_object(const std::vector<double>& joules) {
  if (joules.empty()) return nullptr;
  Json object = Json::object();
  for (std::size_t i = 0; i < joules.size(); ++i)
    object[std::string(to_string(static_cast<Phase>(i)))] = number_or_null(joules[i]);
  return object;
}

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

Json range_object(const std::optional<SensorRange>& range) {
  if (!range || !std::isfinite(range->minimum + range->mean + range->maximum)) return nullptr;
  return {{"minimum", range->minimum}, {"mean", range->mean}, {"maximum", range->maximum}};
}

Json device_object(const DeviceTelemetry& device) {
  const TelemetrySummary& sensors = device.sensors;
  Json reasons = Json::array();
  for (const auto& [reason, share] : sensors.throttle_reasons)
    reasons.push_back({{"reason", reason}, {"share", number_or_null(share)}});
  return {{"rank", device.rank},
          {"host", device.host},
          {"backend", device.backend},
          {"device_index", device.device_index},
          {"device", device.device},
          {"samples", sensors.samples},
          {"clock_mhz", range_object(sensors.clock_mhz)},
          {"power_watts", range_object(sensors.power_watts)},
          {"temperature_celsius", range_object(sensors.temperature_celsius)},
          {"energy_joules", number_or_null(sensors.energy_joules)},
          {"throttle_reasons", std::move(reasons)},
          {"core_power", averages_object(sensors.core_power)},
          {"phase_joules", phase_object(sensors.phase_joules)}};
}

std::string to_text(const DeviceTelemetry& device) {
  return device_object(device).dump(-1, ' ', false, Json::error_handler_t::replace);
}

DeviceTelemetry device_telemetry(const std::string& text) {
  const Json object = Json::parse(text);
  DeviceTelemetry device{.rank = object.at("rank"),
                         .host = object.at("host"),
                         .backend = object.at("backend"),
                         .device_index = object.at("device_index"),
                         .device = object.at("device"),
                         .sensors = {}};
  TelemetrySummary& sensors = device.sensors;
  sensors.samples = object.at("samples");
  sensors.clock_mhz = range_of(object.at("clock_mhz"));
  sensors.power_watts = range_of(object.at("power_watts"));
  sensors.temperature_celsius = range_of(object.at("temperature_celsius"));
  if (const Json& energy = object.at("energy_joules"); !energy.is_null())
    sensors.energy_joules = energy.get<double>();
  for (const Json& reason : object.at("throttle_reasons"))
    sensors.throttle_reasons.push_back({reason.at("reason"), reason.at("share")});
  sensors.core_power = averages_of(object.at("core_power"));
  if (const Json& phases = object.at("phase_joules"); !phases.is_null())
    for (const Json& joules : phases)
      sensors.phase_joules.push_back(joules.is_null() ? 0 : joules.get<double>());
  return device;
}

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
