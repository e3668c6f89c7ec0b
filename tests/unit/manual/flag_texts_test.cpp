#include "manual/flag_texts.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/input/command_line/options.h"

namespace hpl::manual {
namespace {

const std::vector<Flag> kFlags{
    {"--dat", "FILE", "read this file", {}, "Input"},
    {"-N,--N", "LIST", "orders: [0 or more]", {}, "Input"},
    {"--quiet", "", "say it's done", {}, "Output"},
    {"-k,--kind", "KIND", "fast, slow", {"fast", "slow"}, "Output"},
};

TEST(CommandLineFlags, AreThoseOfTheProgramWithHelp) {
  const auto flags = command_line_flags();
  EXPECT_GT(flags.size(), 35U);
  const char* const arguments[] = {"xhpl", "--help"};
  const std::string help = parse_command_line(2, arguments).help_text;
  for (const Flag& flag : flags) {
    EXPECT_FALSE(flag.help.empty()) << flag.names;
    EXPECT_FALSE(flag.group.empty()) << flag.names;
    EXPECT_TRUE(std::all_of(flag.value.begin(), flag.value.end(),
                            [](char c) { return c >= 'A' && c <= 'Z'; }))
        << flag.names << " " << flag.value;
    for (const std::string& name : flag.all_names())
      EXPECT_NE(help.find(name), std::string::npos) << name;
  }
  const auto json = std::ranges::find(flags, "--json", &Flag::names);
  ASSERT_NE(json, flags.end());
  EXPECT_EQ(json->value, "FILE");
}

TEST(ManualOptions, AreTroffThatCanBeSearched) {
  const std::string text = manual_options(kFlags);
  EXPECT_NE(text.find(".SS Input\n.TP\n\\fB\\-\\-dat\\fR \\fIFILE\\fR\nread this file\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\\fB\\-N\\fR, \\fB\\-\\-N\\fR \\fILIST\\fR\n"), std::string::npos) << text;
}

TEST(BashWords, AreAllNamesAndThoseThatTakeAFile) {
  EXPECT_EQ(bash_words(kFlags), "--dat -N --N --quiet -k --kind");
  EXPECT_EQ(bash_cases(kFlags, "FILE"), "--dat");
  EXPECT_EQ(bash_cases(kFlags, ""), "--dat | -N | --N | -k | --kind");
}

TEST(BashChoices, AreTheWordsOfEachFlagThatHasSome) {
  EXPECT_EQ(bash_choices(kFlags), "        -k | --kind) values=\"fast slow\" ;;\n");
}

TEST(ZshArguments, QuoteWhatZshWouldTakeForItsOwn) {
  const std::string text = zsh_arguments(kFlags);
  EXPECT_NE(text.find("  '--dat=[read this file]:FILE:_files' \\\n"), std::string::npos) << text;
  EXPECT_NE(text.find("'-N[orders\\: \\[0 or more\\]]:LIST:'"), std::string::npos) << text;
  EXPECT_NE(text.find("'--quiet[say it'\\''s done]'"), std::string::npos) << text;
  EXPECT_NE(text.find("'--kind=[fast, slow]:KIND:(fast slow)'"), std::string::npos) << text;
}

}  // namespace
}  // namespace hpl::manual
