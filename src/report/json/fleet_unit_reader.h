#pragma once

#include "hpl/base/json/json_cursor.h"
#include "hpl/report/result/fleet_report.h"

namespace hpl {

/// A unit of a fleet with its devices and rounds. Throws ConfigError where it is none.
FleetUnit read_unit(const JsonCursor& from);

}  // namespace hpl
