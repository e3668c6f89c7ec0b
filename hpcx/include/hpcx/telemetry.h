#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hpcx {

/// What the device's sensors say now; empty where there is no sensor or no right to read it.
struct TelemetrySample {
  std::optional<double> clock_mhz;
  std::optional<double> power_watts;
  std::optional<double> temperature_celsius;
  std::vector<std::string> throttle_reasons;  ///< in words
};

/// Reads sensors. Calls take microseconds to milliseconds and never throw.
class Telemetry {
 public:
  virtual ~Telemetry() = default;
  virtual TelemetrySample sample() = 0;
};

}  // namespace hpcx
