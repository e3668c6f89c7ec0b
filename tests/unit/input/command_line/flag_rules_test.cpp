#include "input/command_line/flag_rules.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "parsed.h"

namespace hpl {
namespace {

using test::error_of;

bool contains(const std::vector<std::string>& list, const std::string& flag) {
  return std::ranges::count(list, flag) > 0;
}

bool has_all(const std::vector<Flag>& flags, const std::vector<std::string>& names) {
  return !flags.empty() && std::ranges::all_of(names, [&](const std::string& name) {
    return std::ranges::any_of(flags,
                               [&](const Flag& flag) { return contains(flag.all_names(), name); });
  });
}

/// The first command that has all of these flags.
const CommandRow& command_with(const std::vector<std::string>& names) {
  const auto found = std::ranges::find_if(
      kCommands, [&](const CommandRow& row) { return has_all(command_flags(row.value), names); });
  if (found == std::end(kCommands))
    throw std::logic_error(fmt::format("no command has {}", fmt::join(names, " ")));
  return *found;
}

std::string name_of_flag(std::string_view flag) {
  return std::string(flag.substr(0, flag.find('=')));
}

/// The flag as a word of a command line, with a value other than the default where it takes one.
test::Words words_for(std::string_view flag) {
  if (flag == kHostShare) return {"--matrix=host:share=0.5"};
  if (flag.find('=') != std::string_view::npos) return {std::string(flag)};
  const std::string name(flag);
  const std::vector<Flag> flags = command_flags(command_with({name}).value);
  const auto found = std::ranges::find_if(
      flags, [&](const Flag& known) { return contains(known.all_names(), name); });
  if (found->value.empty()) return {name};
  const std::map<std::string_view, std::string> values{{"--for", "90s"},
                                                       {"--arithmetic", "emulated"},
                                                       {"--power-scope", "fraction=0.5"},
                                                       {"--mem-fraction", "0.5"},
                                                       {"--stop-after", "0.5"}};
  const auto known = values.find(name);
  return {name, known != values.end()   ? known->second
                : !found->words.empty() ? found->words.back()
                                        : "2"};
}

/// The message about the words behind a command that has the flags.
std::string error_with(const std::vector<std::string>& flags, const test::Words& words) {
  const CommandRow& row = command_with(flags);
  const bool writes = row.value == Command::Tune || row.value == Command::Rates;
  return error_of(test::Words{std::string(row.name)} + words + (writes ? "-o t" : ""));
}

/// Every pair of flags that a row of the table names, with what the first of them needs itself.
template <class Check>
void for_each_pair(FlagRule::Kind kind, Check check) {
  const auto with_needs = [](std::string_view flag) {
    test::Words words = words_for(flag);
    for (const FlagRule& rule : kFlagRules)
      if (rule.kind == FlagRule::kNeeds &&
          contains(test::Words(std::string(rule.flags)), name_of_flag(flag)))
        words = words_for(rule.others) + words;
    return words;
  };
  for (const FlagRule& rule : kFlagRules)
    for (const std::string& flag : test::Words(std::string(rule.flags)))
      for (const std::string& other : test::Words(std::string(rule.others)))
        if (rule.kind == kind) check(rule, flag, other, with_needs(flag));
}

TEST(FlagRules, ExcludeFlagsInAnyOrder) {
  for_each_pair(FlagRule::kExcludes, [](const FlagRule& rule, const std::string& flag,
                                        const std::string& other, const auto& words) {
    const std::string refusal =
        fmt::format("{} and {} do not go together{}{}; leave one of them out", flag, other,
                    rule.reason.empty() ? "" : ": ", rule.reason);
    const std::vector<std::string> both{name_of_flag(flag), name_of_flag(other)};
    EXPECT_EQ(error_with(both, words + words_for(other)), refusal);
    EXPECT_EQ(error_with(both, words_for(other) + words), refusal);
    EXPECT_EQ(error_with(both, words), "no error");
  });
}

TEST(FlagRules, NameTheFlagThatIsNeeded) {
  for_each_pair(FlagRule::kNeeds, [](const FlagRule& rule, const std::string& flag,
                                     const std::string& other, const auto&) {
    EXPECT_EQ(
        error_with({flag}, words_for(flag)),
        fmt::format("{} belongs to {}; give both{}{}{}", flag, other,
                    rule.reason.empty() ? "" : " (", rule.reason, rule.reason.empty() ? "" : ")"));
  });
}

TEST(FlagRules, CountWhatIsOtherThanTheDefault) {
  for (const char* const words :
       {"--matrix host:share=0 --arithmetic emulated", "fleet --for 9s --repeat 1",
        "--reproducible --balance even", "--grid given -P 2", "--min-gflops 90 --no-attainable",
        "--matrix host:share=0.5 --verify always --verify never"})
    EXPECT_EQ(error_of(words), "no error") << words;
  EXPECT_NE(error_of("--reproducible --balance Rates"), "no error");
  EXPECT_NE(error_of("--matrix host:share=0.5 --verify 8"), "no error");
}

TEST(FlagRules, TuneByTrialsWhoseResidualIsChecked) {
  EXPECT_EQ(error_of("tune -o t.dat --threshold 0"),
            "xhpl tune takes a trial only with a residual below the threshold, so --threshold must "
            "be above 0, found 0");
}

}  // namespace
}  // namespace hpl
