#pragma once

#include <string_view>
#include <vector>

#include "hpl/input/command_line/command_line.h"

namespace hpl {

/// The rows of a page of `xhpl help` that lists names with a text each, "exit-codes" or
/// "environment", for help and manual pages. Empty of another page.
std::vector<Flag> topic_rows(std::string_view topic);

}  // namespace hpl
