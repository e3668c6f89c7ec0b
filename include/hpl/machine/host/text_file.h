#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpl {

/// Gives the content of a file, or nothing when it cannot be read. Everything that looks at /proc
/// and /sys takes one, so that tests describe machines that they do not run on.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;

/// The FileReader of the real machine.
std::optional<std::string> read_text_file(const std::string& path);

/// Lines of a text without their ends; a last line without an end counts.
std::vector<std::string_view> split_lines(std::string_view text);

/// Non-empty words between blanks and tabs.
std::vector<std::string_view> split_words(std::string_view text);

/// Fields between separators, empty ones included.
std::vector<std::string_view> split_fields(std::string_view text, char separator);

/// The text without blanks, tabs and line ends around it.
std::string_view trimmed(std::string_view text);

}  // namespace hpl
