#include "gpu/telemetry.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

namespace hpcx::gpu_hip {

namespace {

namespace fs = std::filesystem;

std::optional<double> read_number(const fs::path& path) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

/// The sensors that the kernel's amdgpu driver shows as files; no library is needed.
class HwmonTelemetry final : public Telemetry {
 public:
  explicit HwmonTelemetry(std::string pci_address) {
    std::transform(pci_address.begin(), pci_address.end(), pci_address.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    std::error_code none;
    const fs::path sensors = fs::path("/sys/bus/pci/devices") / pci_address / "hwmon";
    for (const auto& entry : fs::directory_iterator(sensors, none))
      sensors_ = entry.path();
  }

  TelemetrySample sample() override {
    TelemetrySample now;
    if (sensors_.empty()) return now;
    if (const auto hertz = read_number(sensors_ / "freq1_input")) now.clock_mhz = *hertz * 1e-6;
    auto microwatts = read_number(sensors_ / "power1_average");
    if (!microwatts) microwatts = read_number(sensors_ / "power1_input");
    if (microwatts) now.power_watts = *microwatts * 1e-6;
    if (const auto millidegrees = read_number(sensors_ / "temp1_input"))
      now.temperature_celsius = *millidegrees * 1e-3;
    return now;
  }

 private:
  fs::path sensors_;
};

}  // namespace

std::unique_ptr<Telemetry> create_telemetry(const std::string& pci_address) {
  return std::make_unique<HwmonTelemetry>(pci_address);
}

}  // namespace hpcx::gpu_hip
