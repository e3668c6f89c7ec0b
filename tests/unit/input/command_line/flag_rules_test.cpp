#include "input/command_line/flag_rules.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "parsed.h"

namespace hpl {
namespace {

using test::error_of;

/// The flags of the first command that has all of these.
std::vector<Flag> flags_with(const std::vector<std::string>& names) {
  for (const CommandRow& row : kCommands) {
    const std::vector<Flag> flags = command_flags(row.value);
    const auto has = [&](const std::string& name) {
      return std::ranges::any_of(flags, [&](const Flag& flag) {
        const std::vector<std::string> all = flag.all_names();
        return std::ranges::find(all, name) != all.end();
      });
    };
    if (!flags.empty() && std::ranges::all_of(names, has)) return flags;
  }
  ADD_FAILURE() << fmt::format("no command has {}", fmt::join(names, " "));
  return {};
}

std::string name_of_flag(std::string_view flag) {
  return std::string(flag.substr(0, flag.find('=')));
}

/// The flag as a word of a command line, with a value other than the default where it takes one.
std::vector<std::string> words_for(std::string_view flag) {
  if (flag == kHostShare) return {"--matrix=host:share=0.5"};
  if (flag.find('=') != std::string_view::npos) return {std::string(flag)};
  const std::string name(flag);
  const std::vector<Flag> flags = flags_with({name});
  const auto found = std::ranges::find_if(flags, [&](const Flag& known) {
    const std::vector<std::string> all = known.all_names();
    return std::ranges::find(all, name) != all.end();
  });
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

std::vector<std::string> words_of(std::string_view list) {
  std::istringstream text{std::string(list)};
  return {std::istream_iterator<std::string>(text), {}};
}
bool contains(std::string_view list, std::string_view flag) {
  return std::ranges::count(words_of(list), flag) > 0;
}

std::vector<std::string> joined(std::vector<std::string> one,
                                const std::vector<std::string>& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

/// The message about the words behind a command that has the flags.
std::string error_with(const std::vector<std::string>& flags, std::vector<std::string> words) {
  for (const CommandRow& row : kCommands) {
    const std::vector<Flag> own = command_flags(row.value);
    const auto has = [&](const std::string& name) {
      return std::ranges::any_of(own, [&](const Flag& flag) {
        const std::vector<std::string> all = flag.all_names();
        return std::ranges::find(all, name) != all.end();
      });
    };
    if (own.empty() || !std::ranges::all_of(flags, has)) continue;
    words.insert(words.begin(), std::string(row.name));
    if (row.value == Command::Tune || row.value == Command::Rates)
      words.insert(words.end(), {"-o", "t"});
    return error_of(words);
  }
  return fmt::format("no command has {}", fmt::join(flags, " "));
}

/// Every pair of flags that a row of the table names, with what the first of them needs itself.
template <class Check>
void for_each_pair(FlagRule::Kind kind, Check check) {
  const auto with_needs = [](std::string_view flag) {
    std::vector<std::string> words = words_for(flag);
    for (const FlagRule& rule : kFlagRules)
      if (rule.kind == FlagRule::kNeeds && contains(rule.flags, flag.substr(0, flag.find('='))))
        words = joined(words_for(rule.others), words);
    return words;
  };
  for (const FlagRule& rule : kFlagRules)
    for (const std::string& flag : words_of(rule.flags))
      for (const std::string& other : words_of(rule.others))
        if (rule.kind == kind) check(rule, flag, other, with_needs(flag));
}

TEST(FlagRules, ExcludeFlagsInAnyOrder) {
  for_each_pair(FlagRule::kExcludes, [](const FlagRule& rule, const std::string& flag,
                                        const std::string& other, const auto& words) {
    const std::string refusal =
        fmt::format("{} and {} do not go together{}{}; leave one of them out", flag, other,
                    rule.reason.empty() ? "" : ": ", rule.reason);
    const std::vector<std::string> both{name_of_flag(flag), name_of_flag(other)};
    EXPECT_EQ(error_with(both, joined(words, words_for(other))), refusal);
    EXPECT_EQ(error_with(both, joined(words_for(other), words)), refusal);
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
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--matrix", "host:share=0", "--arithmetic", "emulated"},
        {"fleet", "--for", "9s", "--repeat", "1"},
        {"--reproducible", "--balance", "even"},
        {"--grid", "given", "-P", "2"},
        {"--min-gflops", "90", "--no-attainable"},
        {"--matrix", "host:share=0.5", "--verify", "always", "--verify", "never"}})
    EXPECT_EQ(error_of(words), "no error") << words.back();
  EXPECT_NE(error_of({"--reproducible", "--balance", "Rates"}), "no error");
  EXPECT_NE(error_of({"--matrix", "host:share=0.5", "--verify", "8"}), "no error");
}

TEST(FlagRules, TuneByTrialsWhoseResidualIsChecked) {
  EXPECT_EQ(error_of({"tune", "-o", "t.dat", "--threshold", "0"}),
            "xhpl tune takes a trial only with a residual below the threshold, so --threshold must "
            "be above 0, found 0");
}

}  // namespace
}  // namespace hpl
