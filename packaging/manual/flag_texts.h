#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hpl/input/command_line/command_line.h"

namespace hpl::manual {

/// Lines for the section OPTIONS of a manual page (man macros).
std::string manual_options(std::span<const Flag> flags);
/// All names, separated by blanks, for the word list of a bash completion.
std::string bash_words(std::span<const Flag> flags);
/// Names of the flags that take a value of this kind ("FILE"), or of any where `value` is empty,
/// separated by | as a case of bash wants them.
std::string bash_cases(std::span<const Flag> flags, std::string_view value);
/// Cases of bash, one a line, that set `values` for the flags with words to choose from.
std::string bash_choices(std::span<const Flag> flags);
/// Specifications for zsh's _arguments, one a line.
std::string zsh_arguments(std::span<const Flag> flags);

}  // namespace hpl::manual
