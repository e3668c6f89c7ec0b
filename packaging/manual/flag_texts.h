#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hpl/input/command_line/command_line.h"

namespace hpl::manual {

/// Lines for the section OPTIONS of a manual page (man macros).
std::string manual_options(std::span<const Flag> flags);

}  // namespace hpl::manual
