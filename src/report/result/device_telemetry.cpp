#include "hpl/report/result/device_telemetry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "hpcx/backend.h"
#include "hpl/base/number/statistics.h"
#include "hpl/base/record/record.h"
#include "hpl/base/text/quantity.h"

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
    // A property of all says nothing about one of them, and chips at their limit are held there.
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

void describe(Record& record, SensorRange& range) {
  record.type("sensor", "What a sensor showed.");
  record("minimum", range.minimum, {}, {.finite = true});
  record("mean", range.mean, {}, {.finite = true});
  record("maximum", range.maximum, {}, {.finite = true});
}

void describe(Record& record, ThrottleReason& reason) {
  record("reason", reason.reason, "in words");
  record("share", reason.share, "of the samples, from 0 to 1", kCount);
}

namespace {

/// A sensor that shows no number is none.
void describe_sensor(Record& record, const char* name, std::optional<SensorRange>& range) {
  record.converted(
      name,
      [&] {
        const bool finite = range && std::isfinite(range->minimum + range->mean + range->maximum);
        return finite ? range : std::nullopt;
      },
      [&](const std::optional<SensorRange>& read) { range = read; }, "null where there is none");
}

using NamedJoules = std::vector<std::pair<std::string, double>>;

/// By the names of the phases; null where nothing is known.
std::optional<NamedJoules> named_phases(const std::vector<double>& joules) {
  if (joules.empty()) return std::nullopt;
  NamedJoules named;
  for (std::size_t i = 0; i < joules.size(); ++i)
    named.emplace_back(kPhases.at(i).name, joules[i]);
  return named;
}

std::vector<double> phases_of(const std::optional<NamedJoules>& named) {
  std::vector<double> joules;
  if (named)
    for (const auto& [phase, value] : *named)
      joules.push_back(std::isfinite(value) ? value : 0);
  return joules;
}

}  // namespace

void describe(Record& record, DeviceTelemetry& device) {
  record.type("device");
  record("rank", device.rank, {}, kCount);
  record("host", device.host);
  record("backend", device.backend, hpcx::kBackends);
  record("device_index", device.device_index, "among the host's devices of that back end", kCount);
  record("device", device.device, "marketing name");
  TelemetrySummary& sensors = device.sensors;
  record("samples", sensors.samples, "times the sensors were read", kCount);
  describe_sensor(record, "clock_mhz", sensors.clock_mhz);
  describe_sensor(record, "power_watts", sensors.power_watts);
  describe_sensor(record, "temperature_celsius", sensors.temperature_celsius);
  record("energy_joules", sensors.energy_joules,
         "power over the time from the first to the last sample");
  record("throttle_reasons", sensors.throttle_reasons, "why the clock was held down");
  record("core_power", sensors.core_power, {}, kAddedLater);
  record("corrected_errors", sensors.corrected_errors, "of memory, that arose in the run",
         {.minimum = 0, .added = true});
  record("uncorrected_errors", sensors.uncorrected_errors, "of memory, that arose in the run",
         {.minimum = 0, .added = true});
  record("events", sensors.events, {}, kAddedLater);
  record.converted(
      "phase_joules", [&] { return named_phases(sensors.phase_joules); },
      [&](const std::optional<NamedJoules>& named) { sensors.phase_joules = phases_of(named); },
      "energy of the device while the rank had work of each phase; phases overlap in time",
      kAddedLater);
}

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
