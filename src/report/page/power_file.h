#pragma once

#include <optional>

#include "hpl/base/json/json_cursor.h"
#include "hpl/base/power/run_power.h"

namespace hpl::page {

/// The member "power" of a run, or its core phase alone from `started` and `seconds` in documents
/// that have no such member; empty where neither is known.
std::optional<RunPower> read_power(const JsonCursor& run);

}  // namespace hpl::page
