#pragma once

#include <nlohmann/json.hpp>

#include "hpl/machine/check/record.h"

namespace hpl {

/// What a device says of its state; null for what it does not know.
nlohmann::ordered_json health_object(const hpcx::DeviceHealth& health);

}  // namespace hpl
