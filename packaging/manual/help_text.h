#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpl::manual {

/// A flag as --help shows it.
struct HelpFlag {
  std::string group;               ///< "How to run"
  std::vector<std::string> names;  ///< "-N", "--N"
  std::string value;               ///< "LIST"; empty for a flag without one
  std::string help;
};

/// The flags of a text that CLI11 made, in its order. A line of its own ends with a colon: a group;
/// indented by two and with a dash: a flag; indented deeper: more of its help.
std::vector<HelpFlag> parse_help(std::string_view text);

/// Lines for the section OPTIONS of a manual page (man macros).
std::string manual_options(std::span<const HelpFlag> flags);
/// All names, separated by blanks, for the word list of a bash completion.
std::string bash_words(std::span<const HelpFlag> flags);
/// Names of the flags that take a value of this kind ("FILE"), or of any where `value` is empty,
/// separated by | as a case of bash wants them.
std::string bash_cases(std::span<const HelpFlag> flags, std::string_view value);
/// Specifications for zsh's _arguments, one a line.
std::string zsh_arguments(std::span<const HelpFlag> flags);

}  // namespace hpl::manual
