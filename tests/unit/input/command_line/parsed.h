#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/input/command_line/options.h"
#include "support/message_of.h"
#include "support/words.h"

namespace hpl::test {

/// xhpl with these arguments.
inline Options parse(const Words& arguments) {
  std::vector<const char*> argv{"xhpl"};
  for (const std::string& argument : arguments)
    argv.push_back(argument.c_str());
  return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

/// Why they are refused.
inline std::string error_of(const Words& arguments) {
  return message_of<ConfigError>([&] { parse(arguments); });
}

}  // namespace hpl::test
