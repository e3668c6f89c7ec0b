#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hpl/input/command_line/command_line.h"

namespace hpl {

/// The completion of xhpl for `shell`, bash, zsh or fish: commands, their flags and values, also
/// behind `xhpl launch`. Throws ConfigError for another shell.
std::string completion_text(std::string_view shell);

// Pieces for the completion of one program.

/// All names, separated by blanks, for a word list of bash.
std::string bash_words(std::span<const Flag> flags);
/// Names of the flags that take a value of this kind ("FILE"), or of any where `value` is empty,
/// separated by | as a case of bash wants them.
std::string bash_cases(std::span<const Flag> flags, std::string_view value);
/// Cases of bash, one a line, that set `values` for the flags with words to choose from.
std::string bash_choices(std::span<const Flag> flags);
/// Specifications for zsh's _arguments, one a line.
std::string zsh_arguments(std::span<const Flag> flags);
/// Commands of fish, one a line, that begin with `complete`: "complete -c xhpl-report".
std::string fish_lines(std::string_view complete, std::span<const Flag> flags);

}  // namespace hpl
