#pragma once

#include <nlohmann/json.hpp>

#include "hpl/machine/check/check_report.h"

namespace hpl {

/// A check without its ranks: what a run's document holds of it.
nlohmann::ordered_json preflight_object(const CheckReport& report);

}  // namespace hpl
