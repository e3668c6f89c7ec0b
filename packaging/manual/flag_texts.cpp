#include "flag_texts.h"

#include <fmt/format.h>

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

}  // namespace hpl::manual
