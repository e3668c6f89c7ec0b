#pragma once

#include "hpl/input/command_line/options.h"

namespace hpl {

/// --each and what belongs to it.
void add_fleet_flags(CommandLine& line, Options& options);

/// Throws ConfigError where these contradict each other or the rest.
void require_consistent_fleet(const Options& options);

}  // namespace hpl
