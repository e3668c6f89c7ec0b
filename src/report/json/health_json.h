#pragma once

#include "hpl/machine/check/device_health.h"

namespace hpl {

inline nlohmann::ordered_json health_object(const hpcx::DeviceHealth& health) {
  return to_json_value(health);
}

}  // namespace hpl
