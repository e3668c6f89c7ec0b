#include "hpl/input/command_line/command_words.h"

#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "hpl/base/error/error.h"

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

void require_value(const CLI::App& app, const std::string& word) {
  if (!word.starts_with('-') || word.find('=') + 1 != word.size()) return;
  const std::string name = word.substr(0, word.size() - 1);
  if (!takes_value(app.get_option_no_throw(name))) return;
  throw ConfigError(
      fmt::format("{} must be followed by a value, found none; {} --help shows every flag", name,
                  app.get_name()));
}

}  // namespace

std::vector<std::string> command_words(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  bool is_value = false;  // of the flag before
  for (std::string& word : words) {
    if (word == "--") break;
    if (!is_value) {
      require_value(app, word);
      word = lengthened(app, word);
    }
    is_value = !is_value && takes_value(app.get_option_no_throw(word));
  }
  std::reverse(words.begin(), words.end());
  return words;
}

}  // namespace hpl
