#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace hpl::test {

/// The number of mutants that a test makes: XHPL_TEST_MUTANTS if it is set, so that scripts/soak
/// can ask for more.
inline long mutants_wanted(long usual) {
  const char* const text = std::getenv("XHPL_TEST_MUTANTS");
  return text == nullptr ? usual : std::atol(text);
}

/// The begin of the mutants: XHPL_TEST_SEED, else always the same.
inline unsigned mutants_seed() {
  const char* const text = std::getenv("XHPL_TEST_SEED");
  return text == nullptr ? 20210814U : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

/// Makes wrong files out of right ones: bytes, words and lines changed, removed, doubled, moved.
class Mutator {
 public:
  /// `words` are put in at random places.
  Mutator(std::vector<std::string> seeds, std::vector<std::string> words)
      : seeds_(std::move(seeds)), words_(std::move(words)) {}

  std::string next() {
    std::string text = seeds_[below(seeds_.size())];
    for (auto edits = 1 + below(kMostEdits); edits > 0; --edits)
      edit(text);
    return text;
  }

 private:
  static constexpr std::size_t kMostEdits = 6;

  /// Modulo on purpose: the distributions of <random> differ between standard libraries.
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  void edit(std::string& text) {
    const auto at = below(text.size() + 1);
    const auto length = std::min(below(40), text.size() - at);
    switch (below(7)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random_() & 0xff);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.insert(at, words_[below(words_.size())]);
        break;
      case 4:
        text.resize(at);
        break;
      case 5:
        replace_number(text, at);
        break;
      case 6:
        if (at < text.size()) text[at] ^= static_cast<char>(1u << below(8));
        break;
    }
  }

  /// Replaces the next digit, so that counts and values get out of step.
  void replace_number(std::string& text, std::size_t at) {
    const auto digit = text.find_first_of("0123456789", at);
    if (digit != std::string::npos) text[digit] = static_cast<char>('0' + below(10));
  }

  std::vector<std::string> seeds_, words_;
  std::mt19937 random_{mutants_seed()};
};

}  // namespace hpl::test
