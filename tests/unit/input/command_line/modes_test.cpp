#include "input/command_line/modes.h"

#include <algorithm>
#include <set>
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

/// The flag as a word of a command line, with a value where it takes one.
std::vector<std::string> words_for(std::string_view name) {
  if (name.empty()) return {};
  const Flag& flag = flag_named(name);
  if (flag.value.empty()) return {std::string(name)};
  return {std::string(name), flag.words.empty() ? "value" : flag.words.front()};
}

std::vector<std::string> joined(std::vector<std::string> one,
                                const std::vector<std::string>& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

std::string apart(std::string_view one, std::string_view other) {
  return fmt::format("{} and {} do not go together; leave one of them out", one, other);
}

TEST(Modes, AnOutputIsWrittenOrRefusedInEveryMode) {
  for (const ModeRow& mode : kModes)
    for (const OutputRow& output : kOutputs) {
      const std::string said = error_of(joined(words_for(mode.flag), words_for(output.flag)));
      const std::string refusal = mode.mode == Mode::Runs
                                      ? fmt::format("{} belongs to --each; give both", output.flag)
                                      : apart(mode.flag, output.flag);
      EXPECT_EQ(said, output.in(mode.mode) == Written::Yes ? "no error" : refusal)
          << mode.flag << " " << output.flag;
    }
}

TEST(Modes, AFieldOfAWrittenFileNeedsThatFile) {
  for (const ModeRow& mode : kModes)
    for (const OutputRow& output : kOutputs)
      if (output.in(mode.mode) == Written::InDat) {
        EXPECT_EQ(error_of(joined(words_for(mode.flag),
                                  joined(words_for(output.flag), words_for("--write-dat")))),
                  "no error")
            << mode.flag << " " << output.flag;
      }
}

TEST(Modes, OnlyAPlanGoesWithAnotherMode) {
  const std::set<std::pair<Mode, Mode>> together{
      {Mode::Fleet, Mode::DryRun}, {Mode::Fleet, Mode::Explain}, {Mode::DryRun, Mode::Explain}};
  for (const ModeRow& one : kModes)
    for (const ModeRow& other : kModes) {
      if (one.mode == Mode::Runs || one.mode >= other.mode) continue;
      EXPECT_EQ(
          error_of(joined(words_for(one.flag), words_for(other.flag))),
          together.contains({one.mode, other.mode}) ? "no error" : apart(one.flag, other.flag));
    }
}

TEST(Modes, ThePlanOfAFleetWritesNoListOfHosts) {
  EXPECT_EQ(error_of({"--each", "device", "--dry-run", "--pass-list", "p"}),
            apart("--dry-run", "--pass-list"));
}

/// A flag that is in neither table and looks as if it belonged to one has been forgotten.
TEST(Modes, TheTablesHoldEveryFlagThatWritesAFileOrTakesThePlaceOfTheRuns) {
  const auto listed = [](const auto& table, const Flag& flag) {
    const std::vector<std::string> names = flag.all_names();
    return std::ranges::any_of(
        table, [&](const auto& row) { return std::ranges::find(names, row.flag) != names.end(); });
  };
  const std::set<std::string> no_output{"--power-scope", "--progress", "--no-progress"};
  const std::set<std::string> no_mode{"-h,--help", "--deep", "--deep-seconds", "--tune-for",
                                      "--tune-method"};
  for (const Flag& flag : command_line_flags()) {
    const bool is_mode = listed(kModes, flag);
    const bool writes =
        flag.value == "FILE" && (" " + flag.help).find(" write ") != std::string::npos;
    if (writes || (flag.group == "Output" && !no_output.contains(flag.names))) {
      EXPECT_TRUE(is_mode || listed(kOutputs, flag)) << flag.names;
    }
    const bool stops = flag.help.find("and stop") != std::string::npos ||
                       flag.help.find("run nothing") != std::string::npos;
    if ((stops || flag.group == "Information") && !no_mode.contains(flag.names)) {
      EXPECT_TRUE(is_mode) << flag.names;
    }
  }
}

}  // namespace
}  // namespace hpl
