#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/input/command_line/options.h"

namespace hpl::test {

/// xhpl with these arguments.
inline Options parse(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv{"xhpl"};
  for (const std::string& argument : arguments)
    argv.push_back(argument.c_str());
  return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

/// Why they are refused.
inline std::string error_of(const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace hpl::test
