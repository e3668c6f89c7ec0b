#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hpcx {

/// The words of TelemetrySample::throttle_reasons.
namespace throttle {
inline constexpr const char* kPowerCap = "power cap";
inline constexpr const char* kHardwareSlowdown = "hardware slowdown";
inline constexpr const char* kSlowerPeer = "synchronized with a slower device";
inline constexpr const char* kSoftwareThermal = "software thermal slowdown";
inline constexpr const char* kHardwareThermal = "hardware thermal slowdown";
inline constexpr const char* kPowerBrake = "power brake";
inline constexpr const char* kClockLimit = "application clock limit";
}  // namespace throttle

/// Readings of the device's sensors now; empty without a sensor or the right to read it.
struct TelemetrySample {
  std::optional<double> clock_mhz;
  std::optional<double> power_watts;
  std::optional<double> temperature_celsius;
  std::vector<std::string> throttle_reasons;  ///< in words
};

/// Rows of device memory that were replaced by spare ones after errors.
struct RemappedRows {
  std::int64_t after_corrected = 0;    ///< errors that ECC had mended
  std::int64_t after_uncorrected = 0;  ///< errors that it had not
  bool pending = false;                ///< one waits for a reset of the device
  bool failed = false;                 ///< there was no spare row left

  bool operator==(const RemappedRows&) const = default;
};

/// Condition and settings of a device, which change seldom; empty as above.
struct DeviceHealth {
  std::string pci_address;  ///< "0000:1b:00.0"; empty for what is on no such bus
  std::optional<double> maximum_clock_mhz;
  std::optional<double> power_limit_watts;          ///< that it is held to
  std::optional<double> default_power_limit_watts;  ///< that its maker set
  std::optional<bool> ecc;                          ///< memory errors are found and mended
  std::optional<std::int64_t> corrected_errors;     ///< of memory, since the driver was loaded
  std::optional<std::int64_t> uncorrected_errors;   ///< of memory, since the driver was loaded
  std::optional<std::int64_t> uncorrected_errors_ever;
  std::optional<RemappedRows> remapped_rows;

  bool operator==(const DeviceHealth&) const = default;
};

/// Events that a device or host has counted, each since a time of its own.
struct EventCounts {
  /// Names are those of the table of figures; empty: not readable. Kinds that the hardware lacks
  /// are left out.
  std::vector<std::pair<std::string, std::optional<std::int64_t>>> counts;
  std::vector<int> driver_errors;  ///< numbers (Xid) in their order, since the first reading
  double seconds = 0;              ///< between two readings: the time from one to the other

  bool operator==(const EventCounts&) const = default;
};

/// Marks that distinguish a device from others of its model; empty if the device has none.
struct DeviceIdentity {
  std::string serial;  ///< number of the board
  std::string uuid;
  std::string firmware;  ///< version of what the board starts with (VBIOS)
  std::string driver;    ///< version
};

/// Reads sensors. Calls take microseconds to milliseconds and never throw.
class Telemetry {
 public:
  virtual ~Telemetry() = default;
  virtual TelemetrySample sample() = 0;
  virtual DeviceHealth health() { return {}; }
  virtual EventCounts events() { return {}; }
  virtual DeviceIdentity identity() { return {}; }
};

}  // namespace hpcx
