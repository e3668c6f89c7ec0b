#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpl {

/// Closed interval of whole numbers that a field allows.
struct IntegerRange {
  std::int64_t least;
  std::int64_t most;
};

/// A whole decimal number with an optional sign and nothing around it. Empty for anything else
/// ("1e3", "12abc", "") and for numbers beyond 64 bits.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// A finite decimal number, "16", "16.0" or "1.6e1". Empty for anything else, NaN and infinity
/// included.
std::optional<double> parse_real(std::string_view text);

/// `text` as a whole number within `range`.
/// Throws ConfigError("<subject> must be at least 1, found "-3""); `subject` says where and which
/// field, `note` goes to the end of the message when `text` is no number.
std::int64_t require_integer(std::string_view subject, std::string_view text,
                             const IntegerRange& range, std::string_view note = {});

/// An amount of memory in bytes: a number above 0 with a unit, K, M, G, T or KB, ... for powers of
/// 1000, KiB, MiB, ... for powers of 1024: "40G", "1.5GiB", "4096". Throws ConfigError.
std::int64_t require_bytes(std::string_view subject, std::string_view text);

/// `text` in double quotes for a message: printable ASCII only, other bytes as \xNN, long text cut.
std::string quote_printable(std::string_view text);

/// The longest text that shown_text() leaves whole. The middle of a longer one goes: a path is
/// known by its begin and its last name.
inline constexpr std::size_t kLongestShown = 240;
/// `text`, such as a file's name, for a message: as it is, or quoted where control characters would
/// garble the terminal or break the line.
std::string shown_text(std::string_view text);

/// `text` from outside, such as a host's name, with blanks for control characters: in a report it
/// must not start a line of its own.
std::string one_line(std::string_view text);

/// Each text that is not empty once, in the order of their first appearance.
std::vector<std::string> distinct(const std::vector<std::string>& texts);

/// "<a>, <b> or <c>" as messages list what is allowed; `index` 0 to `count`-1.
std::string_view list_separator(std::size_t index, std::size_t count);

/// Lines of a text without their ends; a last line without an end counts.
std::vector<std::string_view> split_lines(std::string_view text);

/// Non-empty words between blanks, tabs and line ends.
std::vector<std::string_view> split_words(std::string_view text);

/// Fields between separators, of which each is a character, empty fields included.
std::vector<std::string_view> split_fields(std::string_view text, std::string_view separators);

/// "key=value": what is before the first separator, and what is behind it; empty without one.
std::pair<std::string_view, std::string_view> split_pair(std::string_view text, char separator);

/// The text without blanks, tabs and line ends around it, or these characters.
std::string_view trimmed(std::string_view text, std::string_view around = " \t\r\n");

}  // namespace hpl
