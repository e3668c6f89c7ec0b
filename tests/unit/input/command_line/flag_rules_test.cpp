#include "input/command_line/flag_rules.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "parsed.h"

namespace hpl {
namespace {

using test::error_of;

const Flag& flag_named(std::string_view name) {
  static const std::vector<Flag> kFlags = command_line_flags();
  const auto found = std::ranges::find_if(kFlags, [&](const Flag& flag) {
    const std::vector<std::string> names = flag.all_names();
    return std::ranges::find(names, name) != names.end();
  });
  EXPECT_NE(found, kFlags.end()) << name;
  return *found;
}

/// The flag as a word of a command line, with a value other than the default where it takes one.
std::vector<std::string> words_for(std::string_view name) {
  if (name.empty()) return {};
  if (name.find('=') != std::string_view::npos) return {std::string(name)};
  const Flag& flag = flag_named(name);
  if (flag.value.empty()) return {std::string(name)};
  const std::map<std::string_view, std::string> values{{"--for", "90s"},
                                                       {"--tune-for", "90s"},
                                                       {"--arithmetic", "emulated"},
                                                       {"--host-share", "0.5"},
                                                       {"--power-scope", "fraction=0.5"},
                                                       {"--mem-fraction", "0.5"},
                                                       {"--stop-after", "0.5"}};
  const auto known = values.find(name);
  std::string value = known != values.end() ? known->second
                      : !flag.words.empty() ? flag.words.back()
                                            : "2";
  return {std::string(name), std::move(value)};
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

std::string apart(std::string_view one, std::string_view other) {
  return fmt::format("{} and {} do not go together; leave one of them out", one, other);
}

std::set<std::string> outputs() {
  std::set<std::string> all;
  for (const ModeRow& mode : kModes)
    for (const std::string& flag : words_of(mode.outputs))
      all.insert(flag);
  return all;
}

TEST(Modes, AnOutputIsWrittenOrRefusedInEveryMode) {
  for (const ModeRow& mode : kModes)
    for (const std::string& output : outputs()) {
      const std::string said = error_of(joined(words_for(mode.flag), words_for(output)));
      const std::string refusal = mode.flag.empty()
                                      ? fmt::format("{} belongs to --each; give both", output)
                                      : apart(mode.flag, output);
      EXPECT_EQ(said, contains(mode.outputs, output) ? "no error" : refusal)
          << mode.flag << " " << output;
    }
}

TEST(Modes, AFieldOfAWrittenFileNeedsThatFile) {
  for (const ModeRow& mode : kModes)
    for (const std::string& output : words_of(mode.fields))
      EXPECT_EQ(error_of(joined(words_for(mode.flag),
                                joined(words_for(output), words_for("--write-dat")))),
                "no error")
          << mode.flag << " " << output;
}

TEST(Modes, OnlyAPlanGoesWithAnotherMode) {
  const std::set<std::pair<std::string_view, std::string_view>> together{
      {"--each", "--dry-run"}, {"--each", "--explain"}, {"--dry-run", "--explain"}};
  for (std::size_t i = 1; i < kModes.size(); ++i)
    for (std::size_t j = i + 1; j < kModes.size(); ++j) {
      const std::string_view one = kModes[i].flag, other = kModes[j].flag;
      EXPECT_EQ(error_of(joined(words_for(one), words_for(other))),
                together.contains({one, other}) ? "no error" : apart(one, other));
    }
}

TEST(Modes, ThePlanOfAFleetWritesNoListOfHosts) {
  EXPECT_EQ(error_of({"--each", "device", "--dry-run", "--pass-list", "p"}),
            apart("--dry-run", "--pass-list"));
}

/// A flag that is in neither table and looks as if it belonged to one has been forgotten.
TEST(Modes, TheTablesHoldEveryFlagThatWritesAFileOrTakesThePlaceOfTheRuns) {
  const auto is_among = [](const std::set<std::string>& known, const Flag& flag) {
    return std::ranges::any_of(flag.all_names(),
                               [&](const auto& name) { return known.contains(name); });
  };
  std::set<std::string> modes;
  for (const ModeRow& mode : kModes)
    modes.insert(std::string(mode.flag));
  const std::set<std::string> no_output{"--power-scope", "--progress", "--no-progress"};
  const std::set<std::string> no_mode{"-h,--help", "--deep", "--deep-seconds", "--tune-for",
                                      "--tune-method"};
  for (const Flag& flag : command_line_flags()) {
    const bool is_mode = is_among(modes, flag);
    const bool writes =
        flag.value == "FILE" && (" " + flag.help).find(" write ") != std::string::npos;
    if (writes || (flag.group == "Output" && !no_output.contains(flag.names))) {
      EXPECT_TRUE(is_mode || is_among(outputs(), flag)) << flag.names;
    }
    const bool stops = flag.help.find("and stop") != std::string::npos ||
                       flag.help.find("run nothing") != std::string::npos;
    if ((stops || flag.group == "Information") && !no_mode.contains(flag.names)) {
      EXPECT_TRUE(is_mode) << flag.names;
    }
  }
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
    EXPECT_EQ(error_of(joined(words, words_for(other))), refusal);
    EXPECT_EQ(error_of(joined(words_for(other), words)), refusal);
    EXPECT_EQ(error_of(words), "no error");
  });
}

TEST(FlagRules, NameTheFlagThatIsNeeded) {
  for_each_pair(FlagRule::kNeeds, [](const FlagRule& rule, const std::string& flag,
                                     const std::string& other, const auto&) {
    EXPECT_EQ(error_of(words_for(flag)), fmt::format("{} belongs to {}; give both{}{}{}", flag,
                                                     other, rule.reason.empty() ? "" : " (",
                                                     rule.reason, rule.reason.empty() ? "" : ")"));
  });
}

TEST(FlagRules, CountWhatIsOtherThanTheDefault) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--tune", "t.dat", "--repeat", "1"},
        {"--host-share", "0"},
        {"--check-spreads", "3"},
        {"--reproducible", "--balance", "even"},
        {"--grid", "given", "-P", "2"},
        {"--min-gflops", "90", "--no-ceiling"},
        {"--matrix", "host", "--host-share", "0.5", "--verify-steps", "--no-verify-steps"}})
    EXPECT_EQ(error_of(words), "no error") << words.back();
  EXPECT_NE(error_of({"--reproducible", "--balance", "Rates"}), "no error");
  EXPECT_NE(error_of({"--verify-interval", "3", "--verify-steps", "--no-verify-steps"}),
            "no error");
}

TEST(FlagRules, TuneByTrialsWhoseResidualIsChecked) {
  EXPECT_EQ(error_of({"--tune", "t.dat", "--threshold", "0"}),
            "--tune takes a trial only with a residual below the threshold, so --threshold must be "
            "above 0, found 0");
}

}  // namespace
}  // namespace hpl
