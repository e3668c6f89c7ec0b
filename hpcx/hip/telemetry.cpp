#include "gpu/vendor_parts.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "cpu/system_file.h"

namespace hpcx::gpu_hip {

namespace {

namespace fs = std::filesystem;

using cpu::read_number;

/// The sensors that the kernel's amdgpu driver shows as files; no library is needed.
class HwmonTelemetry final : public Telemetry {
 public:
  explicit HwmonTelemetry(std::string pci_address) : pci_address_(pci_address) {
    std::transform(pci_address.begin(), pci_address.end(), pci_address.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    std::error_code none;
    device_ = fs::path("/sys/bus/pci/devices") / pci_address;
    for (const auto& entry : fs::directory_iterator(device_ / "hwmon", none))
      sensors_ = entry.path();
  }

  TelemetrySample sample() override {
    TelemetrySample now;
    if (sensors_.empty()) return now;
    now.clock_mhz = read_number(sensors_ / "freq1_input", 1e-6);  // Hz
    now.power_watts = read_number(sensors_ / "power1_average", 1e-6);
    if (!now.power_watts) now.power_watts = read_number(sensors_ / "power1_input", 1e-6);
    now.temperature_celsius = read_number(sensors_ / "temp1_input", 1e-3);
    return now;
  }

  DeviceHealth health() override {
    DeviceHealth now{.pci_address = pci_address_};
    const auto watts = [&](const char* name) {
      return sensors_.empty() ? std::nullopt : read_number(sensors_ / name, 1e-6);
    };
    now.power_limit_watts = watts("power1_cap");
    now.default_power_limit_watts = watts("power1_cap_default");
    // One line for each state of the clock, "1: 1700Mhz *", the highest last.
    std::ifstream clocks(device_ / "pp_dpm_sclk");
    std::string state, clock;
    for (std::string line; std::getline(clocks, line);)
      if (std::istringstream(line) >> state >> clock)
        now.maximum_clock_mhz = std::strtod(clock.c_str(), nullptr);
    // Two lines, "ue: 0" and "ce: 3", counted since the driver was loaded.
    std::ifstream errors(device_ / "ras" / "umc_err_count");
    std::string kind;
    for (std::int64_t count = 0; errors >> kind >> count;) {
      if (kind == "ue:") now.uncorrected_errors = count;
      if (kind == "ce:") now.corrected_errors = count;
    }
    return now;
  }

 private:
  std::string pci_address_;
  fs::path device_, sensors_;
};

}  // namespace

std::unique_ptr<Telemetry> create_telemetry(const std::string& pci_address) {
  return std::make_unique<HwmonTelemetry>(pci_address);
}

}  // namespace hpcx::gpu_hip
