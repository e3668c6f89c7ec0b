#include "gpu/telemetry.h"

#include <array>
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

using InitFunction = int();
using ShutdownFunction = int();
using HandleFunction = int(const char*, NvmlDevice*);
using ClockFunction = int(NvmlDevice, unsigned, unsigned*);
using PowerFunction = int(NvmlDevice, unsigned*);
using TemperatureFunction = int(NvmlDevice, unsigned, unsigned*);
using ReasonsFunction = int(NvmlDevice, unsigned long long*);

constexpr std::array<std::pair<unsigned long long, const char*>, 7> kReasons{{
    {0x004, "power cap"},
    {0x008, "hardware slowdown"},
    {0x010, "synchronized with a slower device"},
    {0x020, "software thermal slowdown"},
    {0x040, "hardware thermal slowdown"},
    {0x080, "power brake"},
    {0x002, "application clock limit"},
}};

class NvmlTelemetry final : public Telemetry {
 public:
  explicit NvmlTelemetry(const std::string& pci_address) : library_("libnvidia-ml.so.1") {
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

 private:
  SharedLibrary library_;
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
