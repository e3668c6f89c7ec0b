#pragma once

#include "hpl/input/command_line/flag_adder.h"
#include "hpl/input/command_line/options.h"

namespace hpl {

/// --tune and what belongs to it.
void add_tune_flags(detail::FlagAdder& add, Options& options);

/// Throws ConfigError where these contradict each other or the rest.
void require_consistent_tuning(const Options& options);

}  // namespace hpl
