#include "manual/help_text.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "hpl/input/command_line/options.h"

namespace hpl::manual {
namespace {

constexpr const char* kHelp =
    "a program: it does things\n"
    "Usage: program [OPTIONS]\n"
    "\n"
    "Input:\n"
    "  --dat FILE                  read this file\n"
    "  -N,--N LIST                 orders: [0 or more]\n"
    "\n"
    "\n"
    "Output:\n"
    "  --quiet                     say it's done\n"
    "  --a-name-that-is-too-long VALUE\n"
    "                              stands above\n"
    "                              its help\n"
    "\n"
    "Examples:\n"
    "  program --dat x             not a flag\n"
    "\n"
    "  -this is no flag either\n";

TEST(HelpText, GivesFlagsWithTheirGroupsValuesAndHelp) {
  const auto flags = parse_help(kHelp);
  ASSERT_EQ(flags.size(), 4U);
  EXPECT_EQ(flags[0].group, "Input");
  EXPECT_EQ(flags[0].value, "FILE");
  EXPECT_EQ(flags[1].names, (std::vector<std::string>{"-N", "--N"}));
  EXPECT_EQ(flags[1].help, "orders: [0 or more]");
  EXPECT_EQ(flags[2].group, "Output");
  EXPECT_EQ(flags[2].value, "");
  EXPECT_EQ(flags[2].help, "say it's done");
  EXPECT_EQ(flags[3].value, "VALUE");
  EXPECT_EQ(flags[3].help, "stands above its help");
}

TEST(HelpText, TakesNamesThatAreSetApart) {
  const auto flags = parse_help("Options:\n  -h,     --help              show this\n");
  ASSERT_EQ(flags.size(), 1U);
  EXPECT_EQ(flags[0].names, (std::vector<std::string>{"-h", "--help"}));
  EXPECT_EQ(flags[0].help, "show this");
}

TEST(HelpText, OfTheProgramHoldsEveryFlagWithHelp) {
  const char* const arguments[] = {"xhpl", "--help"};
  const auto flags = parse_help(parse_command_line(2, arguments).help_text);
  EXPECT_GT(flags.size(), 35U);
  for (const HelpFlag& flag : flags) {
    EXPECT_FALSE(flag.names.empty());
    EXPECT_FALSE(flag.help.empty()) << flag.names.front();
    EXPECT_TRUE(std::all_of(flag.value.begin(), flag.value.end(),
                            [](char c) { return c >= 'A' && c <= 'Z'; }))
        << flag.names.front() << " " << flag.value;
  }
  const auto json = std::find_if(flags.begin(), flags.end(),
                                 [](const HelpFlag& flag) { return flag.names[0] == "--json"; });
  ASSERT_NE(json, flags.end());
  EXPECT_EQ(json->value, "FILE");
}

TEST(ManualOptions, AreTroffThatCanBeSearched) {
  const auto flags = parse_help(kHelp);
  const std::string text = manual_options(flags);
  EXPECT_NE(text.find(".SS Input\n.TP\n\\fB\\-\\-dat\\fR \\fIFILE\\fR\nread this file\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\\fB\\-N\\fR, \\fB\\-\\-N\\fR \\fILIST\\fR\n"), std::string::npos) << text;
}

TEST(BashWords, AreAllNamesAndThoseThatTakeAFile) {
  const auto flags = parse_help(kHelp);
  EXPECT_EQ(bash_words(flags), "--dat -N --N --quiet --a-name-that-is-too-long");
  EXPECT_EQ(bash_cases(flags, "FILE"), "--dat");
  EXPECT_EQ(bash_cases(flags, ""), "--dat | -N | --N | --a-name-that-is-too-long");
}

TEST(ZshArguments, QuoteWhatZshWouldTakeForItsOwn) {
  const auto flags = parse_help(kHelp);
  const std::string text = zsh_arguments(flags);
  EXPECT_NE(text.find("  '--dat=[read this file]:FILE:_files' \\\n"), std::string::npos) << text;
  EXPECT_NE(text.find("'-N[orders\\: \\[0 or more\\]]:LIST:'"), std::string::npos) << text;
  EXPECT_NE(text.find("'--quiet[say it'\\''s done]'"), std::string::npos) << text;
}

}  // namespace
}  // namespace hpl::manual
