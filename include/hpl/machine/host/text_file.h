#pragma once

#include <functional>
#include <optional>
#include <string>

#include "hpl/base/text/text_value.h"

namespace hpl {

/// Gives the content of a file, or nothing when it cannot be read. Everything that looks at /proc
/// and /sys takes one, so that tests describe machines that they do not run on.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;

/// The FileReader of the real machine.
std::optional<std::string> read_text_file(const std::string& path);

/// The value of the first line "KEY: VALUE" with this key, or another separator; empty: none.
std::string_view keyed_value(std::string_view text, std::string_view key, char separator = ':');

}  // namespace hpl
