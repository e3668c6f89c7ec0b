// Commands of xhpl in the documentation are read as the program reads them.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/commands/campaign/options.h"
#include "hpl/commands/report/compare_options.h"
#include "hpl/commands/report/options.h"
#include "hpl/input/command_line/command.h"
#include "hpl/input/command_line/options.h"
#include "hpl/predict/predict_options.h"
#include "support/test_files.h"

namespace hpl {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// The pages of the guide, and those beside the sources in the folders of the root.
std::vector<fs::path> pages() {
  const fs::path root = test::source_directory();
  std::vector<fs::path> result{root / "README.md", root / "CONTRIBUTING.md"};
  for (const auto& entry : fs::directory_iterator(root))
    if (fs::exists(entry.path() / "README.md")) result.push_back(entry.path() / "README.md");
  for (const auto& entry : fs::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") result.push_back(entry.path());
  return result;
}

struct Code {
  std::vector<std::string> lines;  ///< of code blocks, continued lines joined
  std::vector<std::string> spans;  ///< in backticks
};

Code code_of(const fs::path& page) {
  std::ifstream file(page);
  Code code;
  std::string prose;
  bool in_block = false, continued = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      in_block = !in_block;
    } else if (!in_block) {
      prose += line + " ";
    } else {
      if (continued) {
        code.lines.back().pop_back();
        code.lines.back() += line;
      } else {
        code.lines.push_back(line);
      }
      continued = line.ends_with('\\');
    }
  }
  std::istringstream spans(prose);
  for (std::string span; std::getline(spans, span, '`') && std::getline(spans, span, '`');)
    code.spans.push_back(span);
  return code;
}

/// The words of a line of shell, quotes removed; operators are words of their own.
Words shell_words(const std::string& line) {
  Words words;
  std::string word;
  char quote = 0;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(word);
    word.clear();
  };
  for (const char c : line + " ") {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ' ') {
      end_word();
    } else if (c == ';' || c == ')' || c == '|') {
      end_word();
      words.emplace_back(1, c);
    } else {
      word += c;
    }
  }
  return words;
}

bool ends_a_command(const std::string& word) {
  static const Words ends{"#", "&&", "&", ";", "|", ")", ">", "...", "\\"};
  return std::ranges::find(ends, word) != ends.end() || word.starts_with('[');
}

/// The words that follow each `xhpl` of a line.
std::vector<Words> commands_of(const std::string& line) {
  std::vector<Words> commands;
  bool inside = false;
  for (const std::string& word : shell_words(line)) {
    if (word == "xhpl" || word.ends_with("/xhpl")) {
      inside = true;
      commands.push_back({"xhpl"});
    } else if (ends_a_command(word)) {
      inside = false;
    } else if (inside) {
      commands.back().push_back(word);
    }
  }
  return commands;
}

/// `xhpl launch OPTIONS COMMAND FLAGS` without launch and its options, or `xhpl fleet --by-job
/// OPTIONS FLAGS` without these.
void strip_launch(Words& words) {
  const bool by_job = words.size() > 2 && words[1] == "fleet" && words[2] == "--by-job";
  if (words.size() < 2 || (words[1] != "launch" && !by_job)) return;
  if (by_job) words.erase(words.begin() + 1);
  static const Words with_value{"-n",        "-np",         "--per-node",    "--launcher",
                                "--xhpl",    "--grace",     "--dir",         "--hosts",
                                "--at-once", "--node-wait", "--xhpl-mpirun", "--hostfile"};
  auto begin = std::ranges::find(words, "--");
  if (begin != words.end()) {
    ++begin;
  } else {
    begin = words.begin() + 2;
    for (bool option = true; option && begin != words.end();) {
      const bool takes_value = std::ranges::find(with_value, *begin) != with_value.end();
      option = takes_value || *begin == "--print";
      begin += takes_value ? 2 : option ? 1 : 0;
    }
  }
  words.erase(words.begin() + 1, begin);
  if (by_job) words.insert(words.begin() + 1, "fleet");
}

void expect_known_flags(const Words& words, const std::vector<Flag>& flags) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    if (name.size() < 2 || name[0] != '-' || std::isdigit(static_cast<unsigned char>(name[1])) != 0)
      continue;
    if (name.find(' ') != std::string::npos) continue;  // flags of a step, in one word
    EXPECT_TRUE(std::ranges::any_of(flags, [&](const Flag& flag) {
      const std::vector<std::string> names = flag.all_names();
      return std::ranges::find(names, name) != names.end();
    })) << name;
  }
}

/// Flags of xhpl may stand among those of a campaign.
std::vector<Flag> campaign_flags() {
  std::vector<Flag> flags = campaign::campaign_flags();
  std::ranges::copy(command_flags(Command::Run), std::back_inserter(flags));
  return flags;
}

CommandWords read(const std::vector<const char*>& arguments) {
  return command_words(static_cast<int>(arguments.size()), arguments.data());
}

/// `whole`: the command line is complete, so its values are read as well.
void expect_understood(const Words& words, bool whole) {
  std::vector<const char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(word.c_str());
  const Command command = read(arguments).command;
  if (command == Command::Campaign)
    expect_known_flags(words, campaign_flags());
  else if (command == Command::Report)
    expect_known_flags(words, page::report_flags());
  else if (command == Command::Compare)
    expect_known_flags(words, page::compare_flags());
  else if (command == Command::Predict)
    expect_known_flags(words, predict_flags());
  else if (command == Command::Help && words.size() > 2 && words[2] != "TOPIC")
    EXPECT_FALSE(help_text(words[2]).empty());
  else if (command_flags(command).empty())
    return;
  else if (whole)
    parse_command_line(static_cast<int>(arguments.size()), arguments.data());
  else
    expect_known_flags(words, command_flags(command));
}

/// The number of commands in `lines`.
std::size_t expect_all_understood(const fs::path& page, const std::vector<std::string>& lines,
                                  bool whole) {
  std::size_t seen = 0;
  for (const std::string& line : lines)
    for (Words& words : commands_of(line)) {
      SCOPED_TRACE(page.string() + ": " + line);
      strip_launch(words);
      // "xhpl campaign: ..." is what a command says.
      if (words.size() < 2 || words[1] == "COMMAND" || words[1].ends_with(':')) continue;
      ++seen;
      try {
        expect_understood(words, whole);
      } catch (const ConfigError& error) {
        ADD_FAILURE() << error.what();
      }
    }
  return seen;
}

TEST(Documentation, EveryCommandOfXhplIsUnderstood) {
  std::size_t seen = 0;
  for (const fs::path& page : pages()) {
    const Code code = code_of(page);
    seen += expect_all_understood(page, code.lines, true);
    seen += expect_all_understood(page, code.spans, false);
  }
  EXPECT_GT(seen, 100U);
}

}  // namespace
}  // namespace hpl
