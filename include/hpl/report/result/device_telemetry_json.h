#pragma once

#include <nlohmann/json.hpp>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// As docs/schema/run.schema.json describes it; what is missing or not finite is null.
nlohmann::ordered_json device_object(const DeviceTelemetry& device);
nlohmann::ordered_json range_object(const std::optional<SensorRange>& range);

}  // namespace hpl
