#include "hpl/input/command_line/command_line.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl {

namespace {

bool takes_value(const CLI::Option* option) {
  return option != nullptr && option->get_items_expected_min() > 0;
}

/// `word` with the long name of its flag, if it is "-X=...".
std::string lengthened(const CLI::App& app, const std::string& word) {
  constexpr std::size_t kNameLength = 2;
  if (word.find('=') != kNameLength || word[0] != '-' || word[1] == '-') return word;
  const CLI::Option* const option = app.get_option_no_throw(word.substr(0, kNameLength));
  if (option == nullptr || option->get_lnames().empty()) return word;
  return "--" + option->get_lnames().front() + word.substr(kNameLength);
}

std::string missing_value(const std::string& program, const std::string& flag) {
  return fmt::format("{} must be followed by a value, found none; {} --help shows every flag", flag,
                     program);
}

void require_value(const CLI::App& app, const std::string& word) {
  if (!word.starts_with('-') || word.find('=') + 1 != word.size()) return;
  const std::string name = word.substr(0, word.size() - 1);
  if (takes_value(app.get_option_no_throw(name)))
    throw ConfigError(missing_value(app.get_name(), name));
}

/// Without dashes at the beginning and what else is easily mistaken.
std::string letters_of(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  std::string letters(name);
  for (char& c : letters)
    c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

/// CLI11 would take "-NB" for -N with the value "B".
void refuse_misspelt(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  if (!name.starts_with('-') || app.get_option_no_throw(name) != nullptr) return;
  for (const CLI::Option* option : app.get_options())
    for (const auto* names : {&option->get_lnames(), &option->get_snames()})
      for (const std::string& known : *names)
        if (letters_of(name) == letters_of(known))
          throw ConfigError(fmt::format("unknown argument {}, did you mean {}{}?",
                                        quote_printable(name), known.size() == 1 ? "-" : "--",
                                        known));
}

/// The words as CLI::App::parse takes them, the last one first. A value follows every flag after a
/// blank or `=`: CLI11 knows the latter for long names only, so "-N=30" becomes "--N=30", and would
/// take the next word where nothing follows the `=`.
std::vector<std::string> words_of(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  bool is_value = false;  // of the flag before
  for (std::string& word : words) {
    if (word == "--") break;
    if (!is_value) {
      require_value(app, word);
      refuse_misspelt(app, word);
      word = lengthened(app, word);
    }
    is_value = !is_value && takes_value(app.get_option_no_throw(word));
  }
  std::reverse(words.begin(), words.end());
  return words;
}

/// What CLI11 found wrong with the form of the command line (values are checked by their readers).
std::string reworded(const std::string& program, const CLI::ParseError& error) {
  const std::string what = error.what();
  auto flag = what.substr(0, what.find_first_of(": "));
  if (!flag.starts_with('-')) flag.insert(0, "--");
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr)
    return fmt::format("bad command line: {}", what);
  if (what.find("missing") != std::string::npos) return missing_value(program, flag);
  return fmt::format("{} must stand without a value; {} --help shows every flag", flag, program);
}

}  // namespace

std::vector<std::string> Flag::all_names() const {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin < names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    all.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

struct CommandLine::Parser {
  CLI::App app;
};

CommandLine::CommandLine(std::string program, const std::string& description,
                         const std::string& footer)
    : program_(std::move(program)),
      parser_(new Parser{CLI::App(description, program_)}, [](Parser* parser) { delete parser; }) {
  CLI::App& app = parser_->app;
  app.footer(footer);
  app.get_formatter()->column_width(30);
  app.allow_extras();
  app.set_help_flag();
}

void CommandLine::add(Flag flag, Read read) {
  CLI::Option* const option = parser_->app.add_option(
      flag.names,
      [name = flag.all_names().front(), read = std::move(read)](const CLI::results_t& results) {
        read(name, results.back());
        return true;
      },
      flag.help);
  option->type_name(flag.value)->take_last();
  if (!group_.empty()) option->group(group_);
  flag.group = option->get_group();
  flags_.push_back(std::move(flag));
}

void CommandLine::add_each(Flag flag, Read read) {
  CLI::Option* const option = parser_->app.add_option(
      flag.names,
      [name = flag.all_names().front(), read = std::move(read)](const CLI::results_t& results) {
        for (const std::string& result : results)
          read(name, result);
        return true;
      },
      flag.help);
  option->type_name(flag.value)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (!group_.empty()) option->group(group_);
  flag.group = option->get_group();
  flags_.push_back(std::move(flag));
}

void CommandLine::add(Flag flag, std::function<void()> set) {
  CLI::Option* const option = parser_->app.add_flag_callback(flag.names, std::move(set), flag.help);
  option->disable_flag_override();
  if (!group_.empty()) option->group(group_);
  flag.group = option->get_group();
  flags_.push_back(std::move(flag));
}

void CommandLine::add_words(const std::string& name, const std::string& help,
                            std::vector<std::string>& words) {
  parser_->app.add_option(name, words, help)->type_name("");
}

void CommandLine::parse(int argc, const char* const* argv) {
  CLI::App& app = parser_->app;
  try {
    app.parse(words_of(app, argc, argv));
  } catch (const CLI::ParseError& error) {
    throw ConfigError(reworded(program_, error));
  }
}

void CommandLine::refuse_unknown(std::string_view advice) const {
  const std::vector<std::string> extras = parser_->app.remaining();
  if (!extras.empty())
    throw ConfigError(fmt::format("unknown argument {}; {}{} --help shows every flag",
                                  quote_printable(extras.front()), advice, program_));
}

std::vector<GivenFlag> CommandLine::given() const {
  std::vector<GivenFlag> given;
  for (const Flag& flag : flags_) {
    const std::string name = flag.all_names().front();
    const CLI::Option* const option = parser_->app.get_option_no_throw(name);
    if (option == nullptr || option->count() == 0) continue;
    given.push_back({name, flag.value.empty() ? "" : option->results().back(), flag.group});
  }
  return given;
}

std::string CommandLine::help() const {
  return parser_->app.help();
}

}  // namespace hpl
