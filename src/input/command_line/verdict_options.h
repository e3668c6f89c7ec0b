#pragma once

#include "hpl/input/command_line/flag_adder.h"
#include "hpl/input/command_line/options.h"

namespace hpl {

/// Gates, checksums and early stops.
void add_verdict_flags(detail::FlagAdder& add, Options& options);

}  // namespace hpl
