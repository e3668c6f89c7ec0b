#pragma once

#include "hpl/input/command_line/flag_adder.h"
#include "hpl/input/command_line/options.h"

namespace hpl {

/// Flags in place of fields of HPL.dat.
void add_field_flags(detail::FlagAdder& add, Options& options);

}  // namespace hpl
