#include "flag_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hpl::manual {

namespace {

/// Text as troff shows it: a dash that can be searched for, no request at the begin of a line.
std::string troff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

/// Inside the brackets of a specification, itself in single quotes.
std::string zsh_text(std::string_view text) {
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

/// What completes the value.
std::string zsh_action(const Flag& flag) {
  if (flag.value == "FILE") return "_files";
  return flag.words.empty() ? "" : fmt::format("({})", fmt::join(flag.words, " "));
}

}  // namespace

std::string manual_options(std::span<const Flag> flags) {
  std::string text;
  std::string group;
  for (const Flag& flag : flags) {
    if (flag.group != group) text += fmt::format(".SS {}\n", troff(flag.group));
    group = flag.group;
    text += ".TP\n";
    std::string_view separator;
    for (const std::string& name : flag.all_names()) {
      text += fmt::format("{}\\fB{}\\fR", separator, troff(name));
      separator = ", ";
    }
    if (!flag.value.empty()) text += fmt::format(" \\fI{}\\fR", troff(flag.value));
    text += fmt::format("\n{}\n", troff(flag.help));
  }
  return text;
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
      lines += fmt::format("  '{}{}[{}]", name, equals ? "=" : "", zsh_text(flag.help));
      if (!flag.value.empty()) {
        lines += fmt::format(":{}:{}", zsh_text(flag.value), zsh_action(flag));
      }
      lines += "' \\\n";
    }
  }
  return lines;
}

}  // namespace hpl::manual
