#pragma once

#include "hpl/machine/check/check_report.h"

namespace hpl {

inline nlohmann::ordered_json preflight_object(const CheckReport& report) {
  return to_json_value(report);
}

}  // namespace hpl
