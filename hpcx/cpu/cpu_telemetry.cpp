#include "cpu/cpu_telemetry.h"

#include <string>
#include <system_error>

#include "cpu/cpu_device.h"
#include "cpu/system_file.h"

namespace hpcx::cpu {

namespace {

/// Zones of cores and graphics are parts of their package, and "psys" contains it.
bool is_whole(const std::string& zone) {
  return zone.starts_with("package") || zone == "dram";
}

/// Largest value of `name` in the directories below `parent`, e.g. the hottest sensor.
std::optional<double> largest(const char* parent, const char* name) {
  std::optional<double> result;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(parent, none)) {
    const auto value = read_number(entry.path() / name);
    if (value && (!result || *value > *result)) result = value;
  }
  return result;
}

/// Sum of the values of `name` in the directories below `parent`; empty where there are none.
std::optional<std::int64_t> sum(const char* parent, const char* name) {
  std::optional<std::int64_t> result;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(parent, none))
    if (const auto value = read_number(entry.path() / name))
      result = result.value_or(0) + static_cast<std::int64_t>(*value);
  return result;
}

/// Linux's own files: cpufreq, thermal zones, RAPL energy counters (root only on most systems),
/// memory controllers.
class LinuxTelemetry final : public Telemetry {
 public:
  TelemetrySample sample() override {
    TelemetrySample now;
    if (const auto khz = largest("/sys/devices/system/cpu", "cpufreq/scaling_cur_freq"))
      now.clock_mhz = *khz / 1e3;
    if (const auto millidegrees = largest("/sys/class/thermal", "temp"))
      now.temperature_celsius = *millidegrees / 1e3;
    now.power_watts = package_power();
    return now;
  }

  DeviceHealth health() override {
    DeviceHealth now;
    if (const auto khz = largest("/sys/devices/system/cpu", "cpufreq/cpuinfo_max_freq"))
      now.maximum_clock_mhz = *khz / 1e3;
    // One directory for each memory controller; none where the memory has no ECC, or no driver.
    now.corrected_errors = sum("/sys/devices/system/edac/mc", "ce_count");
    now.uncorrected_errors = sum("/sys/devices/system/edac/mc", "ue_count");
    return now;
  }

 private:
  /// Mean power of all packages and their memory since the last call.
  std::optional<double> package_power() {
    const auto now = std::chrono::steady_clock::now();
    const auto joules = counters_.joules();
    std::optional<double> watts;
    if (joules && last_joules_ && now > last_time_)
      watts = (*joules - *last_joules_) / std::chrono::duration<double>(now - last_time_).count();
    last_joules_ = joules;
    last_time_ = now;
    return watts;
  }

  EnergyCounters counters_{"/sys/class/powercap"};
  std::optional<double> last_joules_;
  std::chrono::steady_clock::time_point last_time_;
};

}  // namespace

EnergyCounters::EnergyCounters(const std::filesystem::path& powercap) {
  std::error_code none;
  // "intel-rapl:0" is a package, "intel-rapl:0:1" one of its zones. The same counters appear again
  // as "intel-rapl-mmio:0" on some machines.
  for (const auto& entry : std::filesystem::directory_iterator(powercap, none)) {
    if (!entry.path().filename().string().starts_with("intel-rapl:")) continue;
    if (!is_whole(read_word(entry.path() / "name"))) continue;
    const auto file = entry.path() / "energy_uj";
    if (const auto now = read_number(file))
      counters_.push_back(
          {file, read_number(entry.path() / "max_energy_range_uj").value_or(0), *now});
  }
}

std::optional<double> EnergyCounters::joules() {
  if (counters_.empty()) return std::nullopt;
  for (Counter& counter : counters_) {
    const auto now = read_number(counter.file);
    if (!now) return std::nullopt;
    if (*now >= counter.last)
      microjoules_ += *now - counter.last;
    else if (counter.range > counter.last)
      microjoules_ += counter.range - counter.last + *now;
    counter.last = *now;
  }
  return microjoules_ * 1e-6;
}

std::unique_ptr<Telemetry> make_telemetry() {
  return std::make_unique<LinuxTelemetry>();
}

}  // namespace hpcx::cpu
