#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl_dat_property.h"

namespace hpl::test {
namespace {

constexpr int kMutants = 20'000;
constexpr int kMostEdits = 6;

std::vector<std::string> read_seeds() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(HPL_FUZZ_CORPUS)) {
    paths.push_back(entry.path());
  }
  // Directory order differs between machines; the mutants must not.
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

/// Makes wrong files out of right ones: bytes, words and lines changed, removed, doubled, moved.
class Mutator {
 public:
  explicit Mutator(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {}

  std::string next() {
    std::string text = seeds_[below(seeds_.size())];
    for (auto edits = 1 + below(kMostEdits); edits > 0; --edits)
      edit(text);
    return text;
  }

 private:
  /// Modulo on purpose: the distributions of <random> differ between standard libraries.
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  void edit(std::string& text) {
    static constexpr const char* kWords[] = {"-1",  "0",     "99999999999999999999", "1e3",
                                             "abc", "nan",   "-9223372036854775808", "12abc",
                                             ",,",  "\r\n",  "2147483648",           "\t ",
                                             "\n",  "1,2,3", "\xEF\xBB\xBF",         "+7"};
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
        text.insert(at, kWords[below(std::size(kWords))]);
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

  std::vector<std::string> seeds_;
  std::mt19937 random_{20210814};
};

TEST(HplDatMutation, EverySeedIsReadOrRefusedInOneMessage) {
  const auto seeds = read_seeds();
  ASSERT_GE(seeds.size(), 5u);
  for (const auto& seed : seeds)
    EXPECT_EQ(hpl_dat_fault(seed), std::nullopt) << seed;
}

TEST(HplDatMutation, EveryMutantIsReadOrRefusedInOneMessage) {
  Mutator mutator(read_seeds());
  for (int i = 0; i < kMutants; ++i) {
    const auto text = mutator.next();
    ASSERT_EQ(hpl_dat_fault(text), std::nullopt) << "mutant " << i << ":\n" << text;
  }
}

}  // namespace
}  // namespace hpl::test
