#include "gpu/vendor_parts.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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
constexpr unsigned kNvmlMostLinks = 18;
constexpr unsigned long long kNvmlXid = 0x8;  // the type of events that carry a driver error

struct NvmlEvent {
  NvmlDevice device;
  unsigned long long type, xid;
  unsigned gpu_instance, compute_instance;
};
using NvmlEventSet = void*;

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
using LinkStateFunction = int(NvmlDevice, unsigned link, unsigned* active);
using LinkErrorsFunction = int(NvmlDevice, unsigned link, unsigned kind, unsigned long long*);
using CreateSetFunction = int(NvmlEventSet*);
using RegisterFunction = int(NvmlDevice, unsigned long long types, NvmlEventSet);
using WaitFunction = int(NvmlEventSet, NvmlEvent*, unsigned milliseconds);
using FreeSetFunction = int(NvmlEventSet);

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
    const auto free = library_.find<FreeSetFunction>("nvmlEventSetFree");
    if (events_ != nullptr && free != nullptr) static_cast<void>(free(events_));
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

  EventCounts events() override {
    EventCounts now;
    const auto add = [&](const char* name, std::optional<std::int64_t> count) {
      now.counts.emplace_back(name, count);
    };
    add("uncorrected_memory", memory_errors(kNvmlErrorUncorrected, kNvmlSinceDriverLoaded));
    add("corrected_memory", memory_errors(kNvmlErrorCorrected, kNvmlSinceDriverLoaded));
    const auto rows = remapped_rows();
    if (rows) {
      add("remap_failed", rows->failed ? 1 : 0);
      add("remap_pending", rows->pending ? 1 : 0);
      add("rows_remapped", rows->after_corrected + rows->after_uncorrected);
    } else {  // devices before the remapping of rows retire pages
      add("remap_pending", number("nvmlDeviceGetRetiredPagesPendingStatus"));
    }
    add_links(now);
    add("pcie_replays", number("nvmlDeviceGetPcieReplayCounter"));
    take_driver_errors();
    now.driver_errors = driver_errors_;
    add("driver_errors", watching_ ? std::optional(std::ssize(driver_errors_)) : std::nullopt);
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

  std::optional<std::int64_t> number(const char* function) const {
    const auto read = library_.find<NumberFunction>(function);
    unsigned value = 0;
    if (device_ == nullptr || read == nullptr || read(device_, &value) != kNvmlSuccess)
      return std::nullopt;
    return value;
  }

  std::optional<double> watts(const char* function) const {
    const auto milliwatts = number(function);
    return milliwatts ? std::optional(static_cast<double>(*milliwatts) * 1e-3) : std::nullopt;
  }

  std::optional<std::int64_t> memory_errors(unsigned kind, unsigned since) const {
    const auto read = library_.find<EccErrorsFunction>("nvmlDeviceGetTotalEccErrors");
    unsigned long long errors = 0;
    if (device_ == nullptr || read == nullptr ||
        read(device_, kind, since, &errors) != kNvmlSuccess)
      return std::nullopt;
    return static_cast<std::int64_t>(errors);
  }

  std::optional<RemappedRows> remapped_rows() const {
    const auto read = library_.find<RemappedRowsFunction>("nvmlDeviceGetRemappedRows");
    unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    if (device_ == nullptr || read == nullptr ||
        read(device_, &corrected, &uncorrected, &pending, &failed) != kNvmlSuccess)
      return std::nullopt;
    return RemappedRows{.after_corrected = corrected,
                        .after_uncorrected = uncorrected,
                        .pending = pending != 0,
                        .failed = failed != 0};
  }

  /// Sums over the links to other devices; nothing of a device without links.
  void add_links(EventCounts& now) const {
    // Kinds of errors, as NVML numbers them: replays, recoveries, CRC of flow control, CRC of data.
    std::array<std::optional<std::int64_t>, 4> sums{0, 0, 0, 0};
    std::int64_t links = 0, lost = 0;
    const auto state = library_.find<LinkStateFunction>("nvmlDeviceGetNvLinkState");
    const auto errors = library_.find<LinkErrorsFunction>("nvmlDeviceGetNvLinkErrorCounter");
    for (unsigned link = 0; device_ != nullptr && state != nullptr && link < kNvmlMostLinks;
         ++link) {
      unsigned active = 0;
      if (state(device_, link, &active) != kNvmlSuccess) continue;
      ++links;
      if (active == 0) ++lost;
      for (unsigned kind = 0; active != 0 && kind < sums.size(); ++kind) {
        unsigned long long count = 0;
        if (errors == nullptr || errors(device_, link, kind, &count) != kNvmlSuccess)
          sums[kind].reset();
        else if (sums[kind])
          *sums[kind] += static_cast<std::int64_t>(count);
      }
    }
    if (links == 0) return;
    now.counts.emplace_back("links_lost", lost);
    now.counts.emplace_back("link_recoveries", sums[1]);
    now.counts.emplace_back("link_replays", sums[0]);
    if (sums[2]) *sums[2] += sums[3].value_or(0);  // not every device has both
    now.counts.emplace_back("link_crc_errors", sums[2] ? sums[2] : sums[3]);
  }

  /// The driver keeps errors from the first call on.
  void take_driver_errors() {
    constexpr int kMostAtOnce = 1000;  // it might not come to an end
    const auto create = library_.find<CreateSetFunction>("nvmlEventSetCreate");
    const auto watch = library_.find<RegisterFunction>("nvmlDeviceRegisterEvents");
    const auto wait = library_.find<WaitFunction>("nvmlEventSetWait_v2");
    if (device_ == nullptr || create == nullptr || watch == nullptr || wait == nullptr) return;
    if (events_ == nullptr && create(&events_) != kNvmlSuccess) events_ = nullptr;
    if (events_ != nullptr && !watching_)
      watching_ = watch(device_, kNvmlXid, events_) == kNvmlSuccess;
    NvmlEvent event{};
    for (int i = 0; watching_ && i < kMostAtOnce && wait(events_, &event, 0) == kNvmlSuccess; ++i)
      if ((event.type & kNvmlXid) != 0) driver_errors_.push_back(static_cast<int>(event.xid));
  }

  SharedLibrary library_;
  std::string pci_address_;
  bool initialized_ = false;
  NvmlDevice device_ = nullptr;
  NvmlEventSet events_ = nullptr;
  bool watching_ = false;  // driver errors become events of that set
  std::vector<int> driver_errors_;
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
