#include "gpu/vendor_parts.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "gpu/shared_library.h"

namespace hpcx::gpu_cuda {

namespace {

// The few functions of NVML's stable interface that are used here, declared by hand: its header is
// a package of its own, and the library belongs to the driver.
struct NvmlDeviceOpaque;
using NvmlDevice = NvmlDeviceOpaque*;
constexpr int kNvmlSuccess = 0;
constexpr unsigned kNvmlClockSm = 1;
constexpr unsigned kNvmlTemperatureGpu = 0;
constexpr unsigned kNvmlErrorCorrected = 0;
constexpr unsigned kNvmlErrorUncorrected = 1;
constexpr unsigned kNvmlSinceDriverLoaded = 0;
constexpr unsigned kNvmlEver = 1;

using InitFunction = int();
using ShutdownFunction = int();
using HandleFunction = int(const char*, NvmlDevice*);
using ClockFunction = int(NvmlDevice, unsigned, unsigned*);
using PowerFunction = int(NvmlDevice, unsigned*);
using TemperatureFunction = int(NvmlDevice, unsigned, unsigned*);
using ReasonsFunction = int(NvmlDevice, unsigned long long*);
using NumberFunction = int(NvmlDevice, unsigned*);
using EccModeFunction = int(NvmlDevice, unsigned* current, unsigned* pending);
using TextFunction = int(NvmlDevice, char*, unsigned length);
using SystemTextFunction = int(char*, unsigned length);
using EccErrorsFunction = int(NvmlDevice, unsigned kind, unsigned since, unsigned long long*);
using RemappedRowsFunction = int(NvmlDevice, unsigned* corrected, unsigned* uncorrected,
                                 unsigned* pending, unsigned* failed);

constexpr std::array<std::pair<unsigned long long, const char*>, 7> kReasons{{
    {0x004, throttle::kPowerCap},
    {0x008, throttle::kHardwareSlowdown},
    {0x010, throttle::kSlowerPeer},
    {0x020, throttle::kSoftwareThermal},
    {0x040, throttle::kHardwareThermal},
    {0x080, throttle::kPowerBrake},
    {0x002, throttle::kClockLimit},
}};

class NvmlTelemetry final : public Telemetry {
 public:
  explicit NvmlTelemetry(const std::string& pci_address)
      : library_("libnvidia-ml.so.1"), pci_address_(pci_address) {
    const auto init = library_.find<InitFunction>("nvmlInit_v2");
    const auto handle = library_.find<HandleFunction>("nvmlDeviceGetHandleByPciBusId_v2");
    if (init == nullptr || handle == nullptr || init() != kNvmlSuccess) return;
    initialized_ = true;
    if (handle(pci_address.c_str(), &device_) != kNvmlSuccess) device_ = nullptr;
    clock_ = library_.find<ClockFunction>("nvmlDeviceGetClockInfo");
    power_ = library_.find<PowerFunction>("nvmlDeviceGetPowerUsage");
    temperature_ = library_.find<TemperatureFunction>("nvmlDeviceGetTemperature");
    reasons_ = library_.find<ReasonsFunction>("nvmlDeviceGetCurrentClocksEventReasons");
    if (reasons_ == nullptr)  // its name up to driver 530
      reasons_ = library_.find<ReasonsFunction>("nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  ~NvmlTelemetry() override {
    const auto shutdown = library_.find<ShutdownFunction>("nvmlShutdown");
    if (initialized_ && shutdown != nullptr) static_cast<void>(shutdown());
  }
  NvmlTelemetry(const NvmlTelemetry&) = delete;
  NvmlTelemetry& operator=(const NvmlTelemetry&) = delete;

  TelemetrySample sample() override {
    TelemetrySample now;
    if (device_ == nullptr) return now;
    unsigned value = 0;
    if (clock_ != nullptr && clock_(device_, kNvmlClockSm, &value) == kNvmlSuccess)
      now.clock_mhz = value;
    if (power_ != nullptr && power_(device_, &value) == kNvmlSuccess)
      now.power_watts = value * 1e-3;
    if (temperature_ != nullptr &&
        temperature_(device_, kNvmlTemperatureGpu, &value) == kNvmlSuccess)
      now.temperature_celsius = value;
    unsigned long long mask = 0;
    if (reasons_ != nullptr && reasons_(device_, &mask) == kNvmlSuccess)
      for (const auto& [bit, words] : kReasons)
        if ((mask & bit) != 0) now.throttle_reasons.emplace_back(words);
    return now;
  }

  DeviceHealth health() override {
    DeviceHealth now{.pci_address = pci_address_};
    if (device_ == nullptr) return now;
    unsigned value = 0;
    const auto clock = library_.find<ClockFunction>("nvmlDeviceGetMaxClockInfo");
    if (clock != nullptr && clock(device_, kNvmlClockSm, &value) == kNvmlSuccess)
      now.maximum_clock_mhz = value;
    now.power_limit_watts = watts("nvmlDeviceGetEnforcedPowerLimit");
    now.default_power_limit_watts = watts("nvmlDeviceGetPowerManagementDefaultLimit");
    const auto mode = library_.find<EccModeFunction>("nvmlDeviceGetEccMode");
    unsigned pending = 0;
    if (mode != nullptr && mode(device_, &value, &pending) == kNvmlSuccess) now.ecc = value != 0;
    now.corrected_errors = memory_errors(kNvmlErrorCorrected, kNvmlSinceDriverLoaded);
    now.uncorrected_errors = memory_errors(kNvmlErrorUncorrected, kNvmlSinceDriverLoaded);
    now.uncorrected_errors_ever = memory_errors(kNvmlErrorUncorrected, kNvmlEver);
    now.remapped_rows = remapped_rows();
    return now;
  }

  DeviceIdentity identity() override {
    DeviceIdentity found;
    if (device_ == nullptr) return found;
    found.serial = text("nvmlDeviceGetSerial");
    found.uuid = text("nvmlDeviceGetUUID");
    found.firmware = text("nvmlDeviceGetVbiosVersion");
    std::array<char, kTextLength> driver{};
    const auto read = library_.find<SystemTextFunction>("nvmlSystemGetDriverVersion");
    if (read != nullptr && read(driver.data(), kTextLength - 1) == kNvmlSuccess)
      found.driver = driver.data();
    return found;
  }

 private:
  static constexpr unsigned kTextLength = 128;  // no text of NVML is longer

  std::string text(const char* function) const {
    std::array<char, kTextLength> found{};
    const auto read = library_.find<TextFunction>(function);
    if (read == nullptr || read(device_, found.data(), kTextLength - 1) != kNvmlSuccess) return {};
    return found.data();
  }

  std::optional<double> watts(const char* function) const {
    const auto read = library_.find<NumberFunction>(function);
    unsigned milliwatts = 0;
    if (read == nullptr || read(device_, &milliwatts) != kNvmlSuccess) return std::nullopt;
    return milliwatts * 1e-3;
  }

  std::optional<std::int64_t> memory_errors(unsigned kind, unsigned since) const {
    const auto read = library_.find<EccErrorsFunction>("nvmlDeviceGetTotalEccErrors");
    unsigned long long errors = 0;
    if (read == nullptr || read(device_, kind, since, &errors) != kNvmlSuccess) return std::nullopt;
    return static_cast<std::int64_t>(errors);
  }

  std::optional<RemappedRows> remapped_rows() const {
    const auto read = library_.find<RemappedRowsFunction>("nvmlDeviceGetRemappedRows");
    unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    if (read == nullptr ||
        read(device_, &corrected, &uncorrected, &pending, &failed) != kNvmlSuccess)
      return std::nullopt;
    return RemappedRows{.after_corrected = corrected,
                        .after_uncorrected = uncorrected,
                        .pending = pending != 0,
                        .failed = failed != 0};
  }

  SharedLibrary library_;
  std::string pci_address_;
  bool initialized_ = false;
  NvmlDevice device_ = nullptr;
  ClockFunction* clock_ = nullptr;
  PowerFunction* power_ = nullptr;
  TemperatureFunction* temperature_ = nullptr;
  ReasonsFunction* reasons_ = nullptr;
};

}  // namespace

std::unique_ptr<Telemetry> create_telemetry(const std::string& pci_address) {
  return std::make_unique<NvmlTelemetry>(pci_address);
}

}  // namespace hpcx::gpu_cuda
