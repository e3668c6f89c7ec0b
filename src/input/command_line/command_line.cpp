#include "hpl/input/command_line/command_line.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <exception>
#include <map>
#include <numeric>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "hpl/base/text/text_value.h"

namespace hpl {

namespace {

/// Stands for the value of a flag that may be given without.
constexpr const char* kLeftOut = "\x1f";

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

/// Insertions, deletions and replacements of a letter between two words.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t replaced = corner + (one[i] == other[j] ? 0 : 1);
      corner = row[j + 1];
      row[j + 1] = std::min({replaced, corner + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// CLI11 would take "-NB" for -N with the value "B". A value may stand right behind a short flag
/// (-N30), so only long ones are compared letter by letter.
void refuse_misspelt(const CLI::App& app, const std::string& name) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& word : option->get_lnames())
      known.push_back("--" + word);
    for (const std::string& word : option->get_snames())
      known.push_back("-" + word);
  }
  std::string meant;
  for (const std::string& word : known)
    if (letters_of(name) == letters_of(word)) meant = word;
  if (meant.empty() && name.starts_with("--")) meant = nearest_word(name, known);
  if (!meant.empty())
    throw ConfigError("unknown argument {}, did you mean {}?", quote_printable(name), meant);
}

/// The words as CLI::App::parse takes them, the last one first. A value follows every flag after a
/// blank or `=`: CLI11 knows the latter for long names only, so "-N=30" becomes "--N=30", and would
/// take the next word where nothing follows the `=`. Each word that is no flag and no flag's value
/// is given the flag before it.
std::vector<std::string> words_of(const CLI::App& app, int argc, const char* const* argv,
                                  const std::function<std::string(const std::string&)>& advice,
                                  std::map<std::string, std::string>& flags_before) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  bool is_value = false;  // of the flag before
  std::string flag;
  for (std::string& word : words) {
    if (word == "--") break;
    if (!is_value) {
      require_value(app, word);
      const std::string name = word.substr(0, word.find('='));
      if (name.starts_with('-') && app.get_option_no_throw(name) == nullptr) {
        if (const std::string why = advice ? advice(name) : ""; !why.empty())
          throw ConfigError(why);
        refuse_misspelt(app, name);
      }
      if (name.starts_with('-'))
        flag = name;
      else
        flags_before[word] = flag;
      word = lengthened(app, word);
    }
    is_value = !is_value && takes_value(app.get_option_no_throw(word));
  }
  std::reverse(words.begin(), words.end());
  return words;
}

/// CLI11's finding on the form of the command line, reworded (values are checked by their readers).
std::string reworded(const std::string& program, const CLI::ParseError& error) {
  const std::string what = error.what();
  auto flag = what.substr(0, what.find_first_of(": "));
  if (!flag.starts_with('-')) flag.insert(0, "--");
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr)
    return fmt::format("bad command line: {}", what);
  if (what.find("missing") != std::string::npos) return missing_value(program, flag);
  return fmt::format("{} must stand without a value; {} --help shows every flag", flag, program);
}

/// As help shows it: "-N, --N LIST", "--deep[=TIME]".
std::string shown(const Flag& flag) {
  const std::string names = fmt::format("{}", fmt::join(flag.all_names(), ", "));
  if (flag.value.empty()) return names;
  return flag.optional ? fmt::format("{}[={}]", names, flag.value) : names + " " + flag.value;
}

}  // namespace

std::string help_row(const Flag& flag) {
  constexpr std::size_t kColumn = 28, kWidth = 80;
  std::string text = "  " + shown(flag);
  std::size_t column = text.size();
  if (column + 1 > kColumn) column = kWidth;  // the text begins below
  std::istringstream words(flag.help);
  for (std::string word; words >> word;) {
    if (column > kColumn && column + 1 + word.size() > kWidth) {
      text += "\n";
      column = 0;
    }
    const std::size_t blanks = column < kColumn ? kColumn - column : 1;
    text += std::string(blanks, ' ') + word;
    column += blanks + word.size();
  }
  return text + "\n";
}

std::string nearest_word(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t kMistakes = 2;
  const std::string letters = letters_of(word);
  std::string nearest;
  std::size_t least = std::min(kMistakes + 1, letters.size() / 2 + 1);
  for (const std::string& candidate : known) {
    const std::size_t mistakes = distance(letters, letters_of(candidate));
    if (mistakes >= least) continue;
    least = mistakes;
    nearest = candidate;
  }
  return nearest;
}

std::vector<std::string> Flag::all_names() const {
  const auto all = split_fields(names, ",");
  return {all.begin(), all.end()};
}

int run_program(std::string_view name, const std::function<ExitCode()>& program) {
  ExitCode code = ExitCode::Broken;
  try {
    return static_cast<int>(program());
  } catch (const ConfigError& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    code = ExitCode::BadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
  }
  return static_cast<int>(code);
}

struct CommandLine::Parser {
  CLI::App app;
  std::string version = {};  // a line
  bool wants_help = false, wants_version = false;
  std::map<std::string, std::string> flags_before = {};  // see words_of()
};

CommandLine::CommandLine(std::string program, std::string description, std::string footer)
    : program_(std::move(program)),
      description_(std::move(description)),
      footer_(std::move(footer)),
      parser_(new Parser{CLI::App("", program_)}, [](Parser* parser) { delete parser; }) {
  parser_->app.allow_extras();
  parser_->app.set_help_flag();
}

void CommandLine::group(std::string name, bool hidden) {
  group_ = std::move(name);
  if (hidden) hidden_.push_back(group_);
}

void CommandLine::advise(std::function<std::string(const std::string&)> advice) {
  advice_ = std::move(advice);
}

void CommandLine::keep(Flag flag) {
  flag.group = group_;
  flags_.push_back(std::move(flag));
}

void CommandLine::add(Flag flag, Read read) {
  CLI::Option* const option = parser_->app.add_option(
      flag.names, [name = flag.all_names().front(), optional = flag.optional,
                   read = std::move(read)](const CLI::results_t& results) {
        const bool left_out = optional && results.back() == kLeftOut;
        read(name, left_out ? std::string_view() : results.back());
        return true;
      });
  option->take_last();
  if (flag.optional) option->expected(0, 1)->default_str(kLeftOut);
  keep(std::move(flag));
}

void CommandLine::add(Flag flag, std::function<void()> set) {
  parser_->app.add_flag_callback(flag.names, std::move(set))->disable_flag_override();
  keep(std::move(flag));
}

void CommandLine::add_words(const std::string& name, const std::string& help,
                            std::vector<std::string>& words) {
  parser_->app.add_option(name, words);
  words_.push_back({.names = name, .value = {}, .help = help});
}

void CommandLine::parse(int argc, const char* const* argv) {
  CLI::App& app = parser_->app;
  try {
    app.parse(words_of(app, argc, argv, advice_, parser_->flags_before));
  } catch (const CLI::ParseError& error) {
    throw ConfigError(reworded(program_, error));
  }
}

void CommandLine::refuse_unknown(std::string_view advice) const {
  const std::vector<std::string> extras = parser_->app.remaining();
  if (extras.empty()) return;
  const std::string& word = extras.front();
  const std::string flag = parser_->flags_before[word];
  for (const std::string& what : {flag + " VALUE", word})
    if (const std::string why = advice_ ? advice_(what) : ""; !why.empty()) throw ConfigError(why);
  const bool of_list = std::ranges::any_of(flags_, [&](const Flag& known) {
    const std::vector<std::string> names = known.all_names();
    return known.value == "LIST" && std::ranges::find(names, flag) != names.end();
  });
  throw ConfigError("unknown argument {}; {}{} --help shows every flag", quote_printable(word),
                    of_list ? advice : "", program_);
}

void CommandLine::add_help(std::string version) {
  parser_->version = std::move(version) + "\n";
  add({"-h,--help", "", "show this text and stop"},
      [parser = parser_.get()] { parser->wants_help = true; });
  add({"--version", "", "show the version and stop"},
      [parser = parser_.get()] { parser->wants_version = true; });
}

std::string CommandLine::read(int argc, const char* const* argv) {
  parse(argc, argv);
  if (parser_->wants_help) return help();
  if (parser_->wants_version) return parser_->version;
  refuse_unknown();
  return {};
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
  std::string text = description_ + "\n";
  for (const Flag& word : words_)
    text += "\n" + help_row(word);
  std::string group;
  for (const Flag& flag : flags_) {
    if (std::ranges::find(hidden_, flag.group) != hidden_.end()) continue;
    if (flag.group != group || text.back() != '\n') text += fmt::format("\n{}:\n", flag.group);
    group = flag.group;
    text += help_row(flag);
  }
  return footer_.empty() ? text : text + "\n" + footer_ + "\n";
}

}  // namespace hpl
