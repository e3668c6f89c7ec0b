#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl_dat_property.h"
#include "mutator.h"

namespace hpl::test {
namespace {

constexpr long kMutants = 20'000;

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

const std::vector<std::string> kWords{
    "-1", "0",    "99999999999999999999", "1e3", "abc", "nan",   "-9223372036854775808", "12abc",
    ",,", "\r\n", "2147483648",           "\t ", "\n",  "1,2,3", "\xEF\xBB\xBF",         "+7"};

TEST(HplDatMutation, EverySeedIsReadOrRefusedInOneMessage) {
  const auto seeds = read_seeds();
  ASSERT_GE(seeds.size(), 5u);
  for (const auto& seed : seeds)
    EXPECT_EQ(hpl_dat_fault(seed), std::nullopt) << seed;
}

TEST(HplDatMutation, EveryMutantIsReadOrRefusedInOneMessage) {
  Mutator mutator(read_seeds(), kWords);
  for (long i = 0; i < mutants_wanted(kMutants); ++i) {
    const auto text = mutator.next();
    ASSERT_EQ(hpl_dat_fault(text), std::nullopt) << "mutant " << i << ":\n" << text;
  }
}

}  // namespace
}  // namespace hpl::test
