#pragma once

#include <span>

#include "hpl/fleet/judge/fleet_power.h"
#include "hpl/page/run_file.h"

namespace hpl::page {

/// Gives every run that the log reaches its part of it, in place of a meter that it had; the same
/// of fleets and their hosts. Throws ConfigError where it reaches none: the clocks are then most
/// likely apart.
void add_power_log(std::span<RunFile> files, const PowerLogFile& log);

/// Words on a meter in place of those in the files. Throws ConfigError where a fleet has a meter:
/// its readings, from which a level follows, are not in its file.
void set_power_scope(std::span<RunFile> files, const PowerScope& scope);

}  // namespace hpl::page
