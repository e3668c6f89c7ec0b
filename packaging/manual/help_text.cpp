#include "help_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace hpl::manual {

namespace {

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(indent_of(text));
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

/// "-N,--N LIST   orders of the matrix": names end at the first word without a dash; one blank
/// stands before a value, several before the help.
HelpFlag parse_flag(std::string_view line) {
  HelpFlag flag;
  line = trimmed(line);
  while (line.starts_with('-')) {
    const std::size_t end = std::min(line.find_first_of(", "), line.size());
    flag.names.emplace_back(line.substr(0, end));
    const bool more = end < line.size() && line[end] == ',';
    line.remove_prefix(more ? end + 1 : end);
    if (!more) break;
    line = trimmed(line);
  }
  if (indent_of(line) == 1) {
    line.remove_prefix(1);
    const std::size_t end = std::min(line.find(' '), line.size());
    flag.value = line.substr(0, end);
    line.remove_prefix(end);
  }
  flag.help = trimmed(line);
  return flag;
}

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

}  // namespace

std::vector<HelpFlag> parse_help(std::string_view text) {
  std::vector<HelpFlag> flags;
  std::string group;
  bool inside = false;  // of a group
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t indent = indent_of(line);
    if (indent == line.size()) {
      inside = false;
    } else if (indent == 0) {
      inside = line.ends_with(':');
      if (inside) group = line.substr(0, line.size() - 1);
    } else if (inside && indent == 2 && line[indent] == '-') {
      flags.push_back(parse_flag(line));
      flags.back().group = group;
    } else if (inside && indent > 2 && !flags.empty() && flags.back().group == group) {
      std::string& help = flags.back().help;
      help += (help.empty() ? "" : " ") + std::string(trimmed(line));
    }
  }
  return flags;
}

std::string manual_options(std::span<const HelpFlag> flags) {
  std::string text;
  std::string group;
  for (const HelpFlag& flag : flags) {
    if (flag.group != group) text += fmt::format(".SS {}\n", troff(flag.group));
    group = flag.group;
    text += ".TP\n";
    for (std::size_t i = 0; i < flag.names.size(); ++i)
      text += fmt::format("{}\\fB{}\\fR", i > 0 ? ", " : "", troff(flag.names[i]));
    if (!flag.value.empty()) text += fmt::format(" \\fI{}\\fR", troff(flag.value));
    text += fmt::format("\n{}\n", troff(flag.help));
  }
  return text;
}

std::string bash_words(std::span<const HelpFlag> flags) {
  std::string words;
  for (const HelpFlag& flag : flags)
    for (const std::string& name : flag.names)
      words += (words.empty() ? "" : " ") + name;
  return words;
}

std::string bash_cases(std::span<const HelpFlag> flags, std::string_view value) {
  std::string cases;
  for (const HelpFlag& flag : flags) {
    if (flag.value.empty() || (!value.empty() && flag.value != value)) continue;
    for (const std::string& name : flag.names)
      cases += (cases.empty() ? "" : " | ") + name;
  }
  return cases;
}

std::string zsh_arguments(std::span<const HelpFlag> flags) {
  std::string lines;
  for (const HelpFlag& flag : flags) {
    for (const std::string& name : flag.names) {
      // A long flag's value may follow an equals sign as well.
      const bool equals = !flag.value.empty() && name.starts_with("--");
      lines += fmt::format("  '{}{}[{}]", name, equals ? "=" : "", zsh_text(flag.help));
      if (!flag.value.empty()) {
        lines += fmt::format(":{}:{}", zsh_text(flag.value), flag.value == "FILE" ? "_files" : "");
      }
      lines += "' \\\n";
    }
  }
  return lines;
}

}  // namespace hpl::manual
