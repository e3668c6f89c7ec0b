#include "hpl/input/command_line/completion.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/command_line/command.h"
#include "hpl/input/command_line/options.h"

namespace hpl {

namespace {

/// Inside the brackets of a specification, itself in single quotes.
std::string zsh_text_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

/// The completion of the value.
std::string zsh_action(const Flag& flag) {
  if (flag.value == "FILE") return "_files";
  return flag.words.empty() ? "" : fmt::format("({})", fmt::join(flag.words, " "));
}

/// The flags of all commands, each name once.
std::vector<Flag> all_flags() {
  std::vector<Flag> all;
  for (const CommandRow& row : kCommands)
    for (const Flag& flag : command_flags(row.value))
      if (std::ranges::find(all, flag.names, &Flag::names) == all.end()) all.push_back(flag);
  return all;
}

/// The commands that are programs of their own, but for launch, behind which another stands.
std::vector<std::string_view> programs() {
  std::vector<std::string_view> names;
  for (const CommandRow& row : kCommands)
    if (!row.program.empty() && row.value != Command::Launch) names.push_back(row.name);
  return names;
}

constexpr const char* kBash =
    R"(# bash completion for xhpl                                   -*- shell-script -*-

# Flags of a command that is a program of its own.
_xhpl_flags() {{
    "${{COMP_WORDS[0]}}" "$1" --help 2>/dev/null | grep -oE '^  -[^ ]+(, -[^ ]+)?' | tr -d ,
}}

_xhpl() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} values=
    local command= i
    # --flag=value arrives as three words.
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    # Behind launch and its own options stands the command that it starts.
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case ${{COMP_WORDS[i]}} in
            launch) command=launch ;;
            [!a-z]*) ;;
            {0}) command=${{COMP_WORDS[i]}} && break ;;
        esac
    done
    case $previous in
        {1})
            compopt -o default
            COMPREPLY=()
            return
            ;;
{2}        {3}) return ;;
        *)
            case $command in
{4}                launch) values="$(_xhpl_flags launch) {8}" ;;
                {9})
                    values=$(_xhpl_flags "$command")
                    if [[ $current != -* ]]; then
                        compopt -o default
                        COMPREPLY=()
                        return
                    fi
                    ;;
                help) values="{8} {5}" ;;
                completion) values="{6}" ;;
                *) values="{7}" ;;
            esac
            ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
}}
complete -F _xhpl xhpl
)";

constexpr const char* kZsh = R"zsh(#compdef xhpl

# Flags of a command that is a program of its own.
local program=$words[1]
_xhpl_flags() {{
  compadd -- ${{(f)"$($program $1 --help 2>/dev/null | grep -oE '^  -[^ ]+(, -[^ ]+)?' | tr -d ' ' | tr , '\n')"}}
}}

local -a commands
commands=(
{0})
# Behind launch and its own options stands the command that it starts.
local -i i
local launched=
while [[ $words[2] == launch && CURRENT -gt 2 ]]; do
  launched=1
  for (( i = 3; i < CURRENT; ++i )); do
    (( ${{commands[(I)${{(b)words[i]}}:*]}} )) && break
  done
  words[2,i-1]=()
  (( CURRENT -= i - 2 ))
done
if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
  _describe command commands
  return
fi
if (( CURRENT == 2 )) && [[ -n $launched ]]; then
  _xhpl_flags launch
  return
fi
local command=run
if [[ $words[2] != -* ]]; then
  command=$words[2]
  shift words
  (( CURRENT-- ))
fi
case $command in
{1}  {4})
    if [[ $PREFIX == -* ]]; then _xhpl_flags $command; else _files; fi
    ;;
  help) _values topic {2} ;;
  completion) _values shell {3} ;;
esac
)zsh";

constexpr const char* kFish = R"fish(# fish completion for xhpl

# The command of the line, or none, is one of the arguments. The one that launch starts counts.
function __xhpl_is
    set -l command none
    for word in (commandline -opc)
        if contains -- $word {0}
            set command $word
            break
        end
    end
    contains -- $command $argv
end

# Flags of a command that is a program of its own.
function __xhpl_flags
    set -l program (commandline -opc)[1]
    $program $argv --help 2>/dev/null | grep -oE '^  -[^ ]+(, -[^ ]+)?' | tr -d ' ' | tr , '\n'
end

complete -c xhpl -f
complete -c xhpl -n '__xhpl_is none; and contains launch (commandline -opc)' -a '(__xhpl_flags launch)'
for command in {5}
    complete -c xhpl -n "__xhpl_is $command" -F -a "(__xhpl_flags $command)"
end
{1}complete -c xhpl -n '__xhpl_is fleet' -a 'device node pair'
complete -c xhpl -n '__xhpl_is help' -a '{2}'
complete -c xhpl -n '__xhpl_is completion' -a '{3}'
{4})fish";

constexpr std::string_view kShells = "bash zsh fish";

std::string bash_text() {
  const std::vector<Flag> flags = all_flags();
  const std::vector<std::string> names = choice_names(kCommands);
  std::string cases;
  for (const CommandRow& row : kCommands)
    if (const auto own = command_flags(row.value); !own.empty())
      cases += fmt::format("                {}) values=\"{}{}\" ;;\n", row.name, bash_words(own),
                           row.value == Command::Fleet ? " device node pair" : "");
  return fmt::format(
      kBash, fmt::join(names, " | "), bash_cases(flags, "FILE"), bash_choices(flags),
      bash_cases(flags, ""), cases, fmt::join(help_topics(), " "), kShells,
      fmt::format("{} {}", fmt::join(names, " "), bash_words(command_flags(Command::Run))),
      fmt::join(names, " "), fmt::join(programs(), " | "));
}

std::string zsh_text() {
  std::string commands, cases;
  for (const CommandRow& row : kCommands) {
    commands += fmt::format("  '{}:{}'\n", row.name, zsh_text_of(row.summary));
    if (const auto own = command_flags(row.value); !own.empty())
      cases += fmt::format(
          "  {})\n_arguments -s \\\n{}{}  && return 0\n  ;;\n", row.name, zsh_arguments(own),
          row.value == Command::Fleet ? "  '::member:(device node pair)' \\\n" : "");
  }
  return fmt::format(kZsh, commands, cases, fmt::join(help_topics(), " "), kShells,
                     fmt::join(programs(), " | "));
}

/// In single quotes.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_text() {
  std::vector<std::string> started;  // what may stand behind launch
  std::string commands, flags;
  for (const CommandRow& row : kCommands) {
    if (row.value != Command::Launch) started.emplace_back(row.name);
    commands += fmt::format("complete -c xhpl -n '__xhpl_is none' -a {} -d {}\n", row.name,
                            fish_quoted(row.summary));
    const std::string_view none = row.value == Command::Run ? " none" : "";
    flags += fish_lines(fmt::format("complete -c xhpl -n '__xhpl_is {}{}'", row.name, none),
                        command_flags(row.value));
  }
  return fmt::format(kFish, fmt::join(started, " "), commands, fmt::join(help_topics(), " "),
                     kShells, flags, fmt::join(programs(), " "));
}

}  // namespace

std::string completion_text(std::string_view shell) {
  if (shell == "bash") return bash_text();
  if (shell == "zsh") return zsh_text();
  if (shell == "fish") return fish_text();
  throw ConfigError("xhpl completion needs bash, zsh or fish, found {}", quote_printable(shell));
}

std::string bash_words(std::span<const Flag> flags) {
  std::string words;
  for (const Flag& flag : flags)
    for (const std::string& name : flag.all_names())
      words += (words.empty() ? "" : " ") + name;
  return words;
}

std::string bash_cases(std::span<const Flag> flags, std::string_view value) {
  std::string cases;
  for (const Flag& flag : flags) {
    if (flag.value.empty() || (!value.empty() && flag.value != value)) continue;
    for (const std::string& name : flag.all_names())
      cases += (cases.empty() ? "" : " | ") + name;
  }
  return cases;
}

std::string bash_choices(std::span<const Flag> flags) {
  std::string lines;
  for (const Flag& flag : flags)
    if (!flag.words.empty())
      lines += fmt::format("        {}) values=\"{}\" ;;\n", fmt::join(flag.all_names(), " | "),
                           fmt::join(flag.words, " "));
  return lines;
}

std::string zsh_arguments(std::span<const Flag> flags) {
  std::string lines;
  for (const Flag& flag : flags) {
    for (const std::string& name : flag.all_names()) {
      // A long flag's value may follow an equals sign as well.
      const bool equals = !flag.value.empty() && name.starts_with("--");
      lines += fmt::format("  '{}{}[{}]", name, equals ? "=" : "", zsh_text_of(flag.help));
      if (!flag.value.empty()) {
        lines += fmt::format(":{}:{}", zsh_text_of(flag.value), zsh_action(flag));
      }
      lines += "' \\\n";
    }
  }
  return lines;
}

std::string fish_lines(std::string_view complete, std::span<const Flag> flags) {
  std::string lines;
  for (const Flag& flag : flags) {
    lines += complete;
    for (const std::string& name : flag.all_names())
      lines += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (flag.value == "FILE")
      lines += " -r -F";
    else if (!flag.value.empty() && !flag.optional)
      lines += " -x";
    if (!flag.words.empty()) lines += fmt::format(" -a '{}'", fmt::join(flag.words, " "));
    lines += fmt::format(" -d {}\n", fish_quoted(flag.help));
  }
  return lines;
}

}  // namespace hpl
