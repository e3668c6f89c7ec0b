#include <gtest/gtest.h>

#include "parsed.h"

namespace hpl {
namespace {

using test::error_of;
using test::parse;

TEST(VerdictOptions, AskForNothingByDefault) {
  const Options options = parse({});
  EXPECT_FALSE(options.gates.any());
  EXPECT_FALSE(options.wishes.stop_after || options.outputs.csv);
}

TEST(VerdictOptions, AreTaken) {
  const Options options = parse(
      {"--min-gflops", "1e3", "--min-efficiency=90.5", "--max-spread", "2", "--csv", "runs.csv"});
  EXPECT_EQ(options.gates.min_gflops, 1000);
  EXPECT_EQ(options.gates.min_efficiency, 90.5);
  EXPECT_EQ(options.gates.max_spread, 2);
  EXPECT_EQ(options.outputs.csv, "runs.csv");
  EXPECT_EQ(parse({"--rpeak", "66.9e3"}).machine.rpeak, 66900);
  EXPECT_EQ(parse({"--min-peak-efficiency", "75"}).gates.min_peak_efficiency, 75);
  EXPECT_EQ(parse({"--stop-after", "0.25"}).wishes.stop_after, 0.25);
}

TEST(VerdictOptions, AreRefusedOutsideTheirRanges) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--min-gflops", "0"},
       "--min-gflops must be above 0 and at most 1000000000000000, found \"0\""},
      {{"--min-gflops", "fast"},
       "--min-gflops must be above 0 and at most 1000000000000000, found \"fast\""},
      {{"--min-efficiency", "101"},
       "--min-efficiency must be above 0 and at most 100, found \"101\""},
      {{"--min-efficiency", "90%"},
       "--min-efficiency must be above 0 and at most 100, found \"90%\""},
      {{"--rpeak", "0"}, "--rpeak must be above 0 and at most 1000000000000000, found \"0\""},
      {{"--max-spread", "-1"}, "--max-spread must be above 0 and at most 1000000, found \"-1\""},
      {{"--max-spread", "nan"}, "--max-spread must be above 0 and at most 1000000, found \"nan\""},
      {{"--stop-after", "0"}, "--stop-after must be above 0 and below 1, found \"0\""},
      {{"--stop-after", "1"}, "--stop-after must be above 0 and below 1, found \"1\""},
      {{"--csv", "--json"}, "--csv must be a file name, found \"--json\""},
  };
  for (const auto& [arguments, message] : cases)
    EXPECT_EQ(error_of(arguments), message);
}

TEST(VerdictOptions, AreRefusedWhereTheyCannotBeJudged) {
  EXPECT_EQ(error_of({"--min-efficiency", "90", "--no-ceiling"}),
            "--min-efficiency needs the DGEMM rate, which --no-ceiling leaves out");
  EXPECT_EQ(error_of({"--min-gflops", "90", "--no-ceiling"}), "no error");
  for (const char* const gate :
       {"--min-gflops", "--min-efficiency", "--min-peak-efficiency", "--max-spread"})
    EXPECT_NE(error_of({gate, "1", "--stop-after", "0.5"}).find("judge whole runs"),
              std::string::npos);
}

TEST(VerdictOptions, AreRefusedWhereTheyContradictWhatIsReproducible) {
  EXPECT_EQ(error_of({"--reproducible", "--balance", "rates"}),
            "--reproducible and --balance rates contradict each other: rates are measured anew in "
            "every job; give one of them");
  for (const char* const choice : {"auto", "even", "off"})
    EXPECT_EQ(error_of({"--reproducible", "--balance", choice}), "no error");
}

TEST(VerdictOptions, ChooseWhenChecksumsAreCarried) {
  EXPECT_EQ(parse({}).wishes.verify_steps, std::nullopt);
  EXPECT_EQ(parse({"--verify-steps"}).wishes.verify_steps, true);
  EXPECT_EQ(parse({"--no-verify-steps"}).wishes.verify_steps, false);
  EXPECT_EQ(parse({"--verify-steps", "--verify-interval", "3"}).wishes.verify_interval, 3);
  EXPECT_EQ(error_of({"--verify-interval", "3"}),
            "--verify-interval says how often --verify-steps compares; give both");
  EXPECT_EQ(error_of({"--verify-steps", "--verify-interval", "0"}),
            "--verify-interval must be at least 1, found \"0\"");
}

TEST(VerdictOptions, AreShownInHelp) {
  const std::string help = parse({"--help"}).help_text;
  for (const char* const flag :
       {"--min-gflops", "--min-efficiency", "--max-spread", "--stop-after", "--csv",
        "--verify-steps", "--no-verify-steps", "--verify-interval"})
    EXPECT_NE(help.find(flag), std::string::npos) << flag;
}

TEST(PowerOptions, AreTaken) {
  const Options options =
      parse({"--power-command", "echo 5", "--power-scope", "fraction=1,subsystems=compute"});
  EXPECT_EQ(options.power.command, "echo 5");
  EXPECT_EQ(options.power.scope.fraction, 1.0);
  EXPECT_EQ(options.power.scope.subsystems, PowerSubsystems::Compute);
}

TEST(PowerOptions, AreRefusedInOtherWordsAndWithoutAMeter) {
  EXPECT_EQ(error_of({"--power-command", "echo 1", "--power-scope", "place=cellar"}),
            "--power-scope: place must be upstream, modeled, downstream or component, found "
            "\"cellar\"");
  EXPECT_NE(error_of({"--power-scope", "fraction=1"}).find("give both"), std::string::npos);
}

}  // namespace
}  // namespace hpl
