#pragma once

#include "hpl/input/command_line/options.h"

namespace hpl {

/// Throws ConfigError where flags contradict each other or one needs another.
void require_consistent(const Options& options);

}  // namespace hpl
