#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/input/command_line/command.h"
#include "hpl/input/command_line/command_line.h"
#include "hpl/input/command_line/completion.h"
#include "input/command_line/foreign_flags.h"
#include "input/command_line/retired_flags.h"
#include "parsed.h"
#include "support/holds.h"
#include "support/test_files.h"

namespace hpl {
namespace {

using test::error_of;
using test::parse;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

std::string widest_line(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  return *std::ranges::max_element(lines, {}, &std::string::size);
}

TEST(Commands, AreTheFirstWordAndARunWithoutOne) {
  EXPECT_EQ(parse("-N 3").command, Command::Run);
  EXPECT_EQ(parse("run -N 3").fields.orders, std::vector<std::int64_t>{3});
  EXPECT_EQ(parse("plan -o w.dat").outputs.dat, "w.dat");
  EXPECT_EQ(parse("rates --output r.json").rates.output, "r.json");
  EXPECT_TRUE(parse("check").only_looks() && parse("plan").only_plans());
  EXPECT_TRUE(parse("fleet node --plan").only_plans());
}

TEST(Commands, AreNamedWhereAWordIsNone) {
  EXPECT_EQ(error_of("chekc"), "unknown command \"chekc\", did you mean xhpl check?");
  EXPECT_EQ(error_of("site.dat"), "\"site.dat\" is no command; xhpl --dat site.dat reads a file");
  EXPECT_EQ(
      error_of("everything"),
      "unknown command \"everything\"; commands are run, mxp, check, fleet, campaign, tune, "
      "rates, plan, devices, predict, report, compare, launch, help, completion; xhpl --help shows "
      "more");
  EXPECT_EQ(error_of("run site.dat"),
            "\"site.dat\" is no word of xhpl run; xhpl run --dat site.dat reads a file");
  EXPECT_EQ(error_of("fleet node pair"),
            "unknown argument \"pair\"; xhpl fleet takes one of device, node, pair");
}

TEST(Commands, HaveFlagsOfTheirOwn) {
  EXPECT_EQ(error_of("check --csv x"),
            "--csv is no flag of xhpl check; it belongs to xhpl run, xhpl mxp, xhpl fleet");
  EXPECT_EQ(error_of("tune -o t.dat --auto"),
            "--auto is no flag of xhpl tune; it belongs to xhpl run, xhpl mxp, xhpl check, xhpl "
            "fleet, xhpl "
            "rates, xhpl plan");
}

TEST(Commands, NameWhatTookThePlaceOfARetiredFlag) {
  for (const RetiredFlag& retired : kRetiredFlags)
    for (const CommandRow& row : kCommands) {
      if (command_flags(row.value).empty()) continue;
      EXPECT_EQ(error_of({std::string(row.name), std::string(retired.name), "2"}),
                std::string(retired.name) + " is no longer a flag, its place took " +
                    std::string(retired.instead));
    }
}

TEST(Commands, NameTheirFlagForOneOfAnotherProgram) {
  for (const ForeignFlag& foreign : kForeignFlags) {
    const std::string flag(foreign.flag.substr(0, foreign.flag.find(' ')));
    EXPECT_EQ(error_of({flag, "1"}), flag + " " + std::string(foreign.here));
  }
  for (const char* const file : {"N:1000,2000", "PQ:1x2,2x1"})
    EXPECT_EQ(error_of({"-o", file}),
              "-o must be a file name, found \"" + std::string(file) +
                  "\"; fields of HPL.dat are flags here: -N 1000,2000 --NB 192 -P 1,2 -Q 2,1");
  EXPECT_EQ(parse({"-o", "c:1"}).outputs.report, "c:1");
  EXPECT_TRUE(parse("version").show_version && parse("-V").show_version);
}

TEST(Help, FitsAScreen) {
  EXPECT_LE(lines_of(first_screen()).size(), 40U);
  EXPECT_LE(widest_line(first_screen()).size(), 80U) << widest_line(first_screen());
  EXPECT_EQ(parse("--help --nonsense").help_text, first_screen());
}

TEST(Help, OfACommandHasAtMost35FlagsIn80Columns) {
  for (const CommandRow& row : kCommands) {
    const std::vector<Flag> flags = command_flags(row.value);
    if (flags.empty()) continue;
    const std::string help = parse({std::string(row.name), "--help"}).help_text;
    EXPECT_TRUE(help_text(row.name).starts_with(help));
    EXPECT_LE(widest_line(help).size(), 80U) << widest_line(help);
    const auto shown = std::ranges::count_if(
        lines_of(help), [](const std::string& line) { return line.starts_with("  -"); });
    EXPECT_LE(shown, 35) << row.name;
    // The others stand under a topic.
    const std::string topics =
        help_text("hpldat") + help_text("tuning") + help_text("gates") + help_text("mxp");
    for (const Flag& flag : flags)
      EXPECT_NE((help + topics).find("  " + flag.all_names().front()), std::string::npos)
          << row.name << " " << flag.names;
  }
}

TEST(Help, OfACommandWithTheNameOfATopicHasBoth) {
  EXPECT_TRUE(test::holds(help_text("mxp"), {"mxp: xhpl help mxp", "xhpl mxp [FLAGS]"}));
}

TEST(Help, HasATextForEachTopic) {
  for (const std::string& topic : help_topics()) {
    EXPECT_GE(lines_of(help_text(topic)).size(), 4U) << topic;
    EXPECT_LE(widest_line(help_text(topic)).size(), 80U) << widest_line(help_text(topic));
    EXPECT_NE(first_screen().find(topic), std::string::npos);
  }
  EXPECT_THROW(help_text("weather"), ConfigError);
  EXPECT_EQ(test::message_of<ConfigError>([] { help_text("chek"); }),
            "no help on \"chek\", did you mean xhpl help check?");
  EXPECT_EQ(help_text("--help"), first_screen());
}

TEST(Help, HasRowsForPagesThatManualsHaveToo) {
  EXPECT_EQ(topic_rows("exit-codes").size(), 5U);
  EXPECT_EQ(topic_rows("environment").front().all_names().size(), 2U);
  EXPECT_TRUE(topic_rows("power").empty());
  for (const Flag& row : topic_rows("environment"))
    EXPECT_NE(help_text("environment").find("\n  " + row.all_names().front()), std::string::npos);
}

/// Written by `xhpl help all > docs/reference.txt`.
TEST(Help, IsTheReference) {
  EXPECT_EQ(test::text_of(HPL_DOCS_DIR "/reference.txt"), help_text("all"));
}

TEST(Help, DescribesEveryFlag) {
  for (const CommandRow& row : kCommands)
    for (const Flag& flag : command_flags(row.value)) {
      EXPECT_FALSE(flag.help.empty() || flag.group.empty()) << flag.names;
      EXPECT_TRUE(std::ranges::all_of(flag.value, [](char c) { return c >= 'A' && c <= 'Z'; }))
          << flag.names << " " << flag.value;
    }
}

TEST(Completion, KnowsCommandsFlagsAndValues) {
  const std::string bash = completion_text("bash"), zsh = completion_text("zsh"),
                    fish = completion_text("fish");
  EXPECT_TRUE(test::holds(bash, {"--transport) values=\"auto peer nccl mpi-device mpi-host\" ;;",
                                 "rates) values=\"-o --output", "run | mxp | check | fleet"}));
  EXPECT_TRUE(test::holds(zsh, {"'devices:the devices that this xhpl can use'",
                                "'--pass-list=[write the nodes that passed"}));
  EXPECT_TRUE(test::holds(
      fish, {"complete -c xhpl -n '__xhpl_is none' -a fleet -d 'each device",
             "complete -c xhpl -n '__xhpl_is run none' -l json -r -F -d 'write everything",
             "complete -c xhpl -n '__xhpl_is rates' -s o -l output -r -F -d",
             " -l transport -x -a 'auto peer nccl mpi-device mpi-host' -d",
             "complete -c xhpl -n '__xhpl_is check' -l deep -d",
             "complete -c xhpl -n '__xhpl_is completion' -a 'bash zsh fish'\n"}));
  // Flags of commands that are programs of their own come from their help.
  EXPECT_TRUE(test::holds(bash, {"\n                campaign | predict | report | compare)\n"}));
  EXPECT_TRUE(test::holds(zsh, {"\n  campaign | predict | report | compare)\n",
                                "_xhpl_flags $command;", "_xhpl_flags launch\n"}));
  EXPECT_TRUE(test::holds(fish, {"\nfor command in campaign predict report compare\n",
                                 "-a \"(__xhpl_flags $command)\"", "'(__xhpl_flags launch)'"}));
  EXPECT_EQ(test::message_of<ConfigError>([] { completion_text("tcsh"); }),
            "xhpl completion needs bash, zsh or fish, found \"tcsh\"");
}

const std::vector<Flag> kFlags{
    {"--dat", "FILE", "read this file", {}, "Input"},
    {"-N,--N", "LIST", "orders: [0 or more]", {}, "Input"},
    {"--quiet", "", "say it's done", {}, "Output"},
    {"-k,--kind", "KIND", "fast, slow", {"fast", "slow"}, "Output"},
};

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
  EXPECT_TRUE(test::holds(
      text, {"  '--dat=[read this file]:FILE:_files' \\\n", "'-N[orders\\: \\[0 or more\\]]:LIST:'",
             "'--quiet[say it'\\''s done]'", "'--kind=[fast, slow]:KIND:(fast slow)'"}));
}

TEST(FishLines, QuoteWhatFishWouldTakeForItsOwn) {
  EXPECT_EQ(fish_lines("complete -c x", kFlags),
            "complete -c x -l dat -r -F -d 'read this file'\n"
            "complete -c x -s N -l N -x -d 'orders: [0 or more]'\n"
            "complete -c x -l quiet -d 'say it\\'s done'\n"
            "complete -c x -s k -l kind -x -a 'fast slow' -d 'fast, slow'\n");
}

}  // namespace
}  // namespace hpl
