#pragma once

#include <string>

#include "hpl/fleet/judge/fleet_report.h"
#include "hpl/machine/decide/decide.h"

namespace hpl {

/// Adds the rate that a data sheet lets expect of each kind of member, or a remark that nothing is
/// expected. `source` is kKnownSheet or the file of a sheet; `settings`: of a member, null: not
/// known. Throws ConfigError if the file cannot be read.
void add_expectations(FleetReport& report, const std::string& source, const RunSettings* settings);

}  // namespace hpl
