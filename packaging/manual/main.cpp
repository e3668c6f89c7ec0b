// Build tool: fills the templates of manual pages and completions with the flags that a program
// knows.
//
//   hpl-manual PROGRAM TEMPLATE OUTPUT

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "flag_texts.h"
#include "flags_of.h"
#include "hpl/input/command_line/command.h"
#include "hpl/input/command_line/command_line.h"
#include "hpl/input/command_line/completion.h"

namespace {

std::string summary_of(const std::string& program) {
  for (const hpl::CommandRow& row : hpl::kCommands)
    if (program == fmt::format("xhpl-{}", row.name)) return std::string(row.summary);
  return {};
}

/// The commands as paragraphs that name their pages.
std::string manual_commands() {
  std::string text;
  for (const hpl::CommandRow& row : hpl::kCommands)
    text += fmt::format(".TP\n.B {}\n{}\n", row.name, row.summary);
  return text;
}

void replace_all(std::string& text, const std::string& name, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
    text.replace(at, name.size(), value);
}

void fill(const std::string& program, const std::string& source, const std::string& target) {
  using namespace hpl;
  const std::vector<Flag> flags = manual::flags_of(program);
  std::ifstream in(source, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in.good() && !in.eof()) throw std::runtime_error("cannot read " + source);
  replace_all(text, "@VERSION@", HPL_VERSION);
  replace_all(text, "@PROGRAM@", program);
  replace_all(text, "@COMMAND@", program.substr(std::min(program.size(), program.find('-') + 1)));
  replace_all(text, "@SUMMARY@", summary_of(program));
  replace_all(text, "@COMMANDS@\n", manual_commands());
  replace_all(text, "@MANUAL_OPTIONS@\n", manual::manual_options(flags));
  replace_all(text, "@BASH_WORDS@", bash_words(flags));
  replace_all(text, "@BASH_FILE_FLAGS@", bash_cases(flags, "FILE"));
  replace_all(text, "@BASH_CHOICES@\n", bash_choices(flags));
  replace_all(text, "@BASH_VALUE_FLAGS@", bash_cases(flags, ""));
  replace_all(text, "@ZSH_ARGUMENTS@\n", zsh_arguments(flags));
  replace_all(text, "@FISH_LINES@\n", fish_lines("complete -c " + program, flags));
  replace_all(text, "@EXIT_CODES@\n", manual::manual_options(topic_rows("exit-codes")));
  replace_all(text, "@ENVIRONMENT@\n", manual::manual_options(topic_rows("environment")));
  std::ofstream out(target, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + target);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "Usage: hpl-manual PROGRAM TEMPLATE OUTPUT\n");
    return 2;
  }
  try {
    fill(argv[1], argv[2], argv[3]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hpl-manual: %s\n", error.what());
    return 1;
  }
}
