#pragma once

#include <string>
#include <vector>

#include "hpl/input/command_line/command_line.h"

namespace hpl::manual {

/// The flags that `program` reads; std::runtime_error for a program that this tool does not know.
std::vector<Flag> flags_of(const std::string& program);

}  // namespace hpl::manual
