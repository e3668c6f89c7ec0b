#pragma once

#include <optional>

#include <nlohmann/json.hpp>

#include "hpl/base/power/run_power.h"

namespace hpl {

/// null of nothing; numbers that are not finite are null.
nlohmann::ordered_json averages_object(const std::optional<PowerAverages>& averages);
/// The way back; empty of null.
std::optional<PowerAverages> averages_of(const nlohmann::ordered_json& value);

/// As docs/schema/run.schema.json describes it, of a run with that rate; null of nothing.
nlohmann::ordered_json run_power_object(const std::optional<RunPower>& power,
                                        const std::optional<double>& gflops);

}  // namespace hpl
