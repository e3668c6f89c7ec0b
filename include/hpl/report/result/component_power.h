#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// The power of all devices together over the core phase by their sensors, without a trace; empty
/// unless each device has a sensor. Samples and cover are those of the device that has the fewest.
std::optional<ComponentPower> component_power(std::span<const DeviceTelemetry> devices);

/// Different hosts among them.
std::int64_t node_count(std::span<const DeviceTelemetry> devices);

}  // namespace hpl
