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
  EXPECT_EQ(parse("--rpeak 66.9e3").machine.rpeak, 66900);
  EXPECT_EQ(parse("--min-peak-efficiency 75").gates.min_peak_efficiency, 75);
  EXPECT_EQ(parse("--stop-after 0.25").wishes.stop_after, 0.25);
}

TEST(VerdictOptions, AreRefusedOutsideTheirRanges) {
  const std::vector<std::pair<test::Words, std::string>> cases{
      {"--min-gflops 0", "--min-gflops must be above 0 and at most 1000000000000000, found \"0\""},
      {"--min-gflops fast",
       "--min-gflops must be above 0 and at most 1000000000000000, found \"fast\""},
      {"--min-efficiency 101", "--min-efficiency must be above 0 and at most 100, found \"101\""},
      {"--min-efficiency 90%", "--min-efficiency must be above 0 and at most 100, found \"90%\""},
      {"--rpeak 0", "--rpeak must be above 0 and at most 1000000000000000, found \"0\""},
      {"--max-spread -1", "--max-spread must be above 0 and at most 1000000, found \"-1\""},
      {"--max-spread nan", "--max-spread must be above 0 and at most 1000000, found \"nan\""},
      {"--stop-after 0", "--stop-after must be above 0 and below 1, found \"0\""},
      {"--stop-after 1", "--stop-after must be above 0 and below 1, found \"1\""},
      {"--csv --json", "--csv must be a file name, found \"--json\""},
  };
  for (const auto& [arguments, message] : cases)
    EXPECT_EQ(error_of(arguments), message);
}

TEST(VerdictOptions, ChooseWhenChecksumsAreCarried) {
  EXPECT_EQ(parse({}).wishes.verify_steps, std::nullopt);
  EXPECT_EQ(parse("--verify auto").wishes.verify_steps, std::nullopt);
  EXPECT_EQ(parse("--verify always").wishes.verify_steps, true);
  EXPECT_EQ(parse("--verify never").wishes.verify_steps, false);
  const Wishes often = parse("--verify 3").wishes;
  EXPECT_EQ(often.verify_steps, true);
  EXPECT_EQ(often.verify_interval, 3);
  EXPECT_EQ(parse("--verify 3 --verify always").wishes.verify_interval, std::nullopt);
  EXPECT_EQ(error_of("--verify 0"), "--verify must be at least 1, found \"0\"");
  EXPECT_EQ(error_of("--verify often"),
            "--verify must be a whole number from 1 to 1000000000, found \"often\", or auto, never "
            "or always");
}

TEST(PowerOptions, AreTaken) {
  const Options options =
      parse({"--power-command", "echo 5", "--power-scope", "fraction=1,subsystems=compute"});
  EXPECT_EQ(options.power.command, "echo 5");
  EXPECT_EQ(options.power.scope.fraction, 1.0);
  EXPECT_EQ(options.power.scope.subsystems, PowerSubsystems::Compute);
}

TEST(PowerOptions, AreRefusedInOtherWords) {
  EXPECT_EQ(error_of({"--power-command", "echo 1", "--power-scope", "place=cellar"}),
            "--power-scope: place must be upstream, modeled, downstream or component, found "
            "\"cellar\"");
}

TEST(FleetOptions, AreOfDevicesByDefault) {
  const Options options = parse("fleet");
  EXPECT_EQ(options.command, Command::Fleet);
  EXPECT_EQ(options.fleet.member, FleetMemberKind::Device);
  EXPECT_FALSE(options.fleet.plan || options.fleet.for_seconds || options.fleet.reference);
  EXPECT_EQ(options.fleet.spreads, 3);
}

TEST(FleetOptions, AreTaken) {
  const Options options = parse(
      "fleet pair --for 30m --spreads 4.5 --reference old.json --pass-list good --warn-list odd "
      "--fail-list bad --expect-hosts n[08-10]");
  EXPECT_EQ(options.fleet.member, FleetMemberKind::Pair);
  EXPECT_EQ(options.fleet.for_seconds, 1800);
  EXPECT_EQ(options.fleet.spreads, 4.5);
  EXPECT_EQ(options.fleet.reference, "old.json");
  EXPECT_EQ(options.fleet.lists.passed, "good");
  EXPECT_EQ(options.fleet.lists.warned, "odd");
  EXPECT_EQ(options.fleet.lists.failed, "bad");
  EXPECT_EQ(options.fleet.expected_hosts, (std::vector<std::string>{"n08", "n09", "n10"}));
}

TEST(FleetOptions, TimesHaveUnits) {
  EXPECT_EQ(parse("fleet node --for 1m30s").fleet.for_seconds, 90);
  EXPECT_EQ(error_of("fleet node --for 90"),
            "--for must be a time such as 30s, 10m or 1h30m, found \"90\"");
}

TEST(FleetOptions, AreRefusedOutsideTheirRanges) {
  EXPECT_EQ(error_of("fleet rack"),
            "the member of a fleet must be device, node or pair, found \"rack\"");
  EXPECT_EQ(error_of("fleet node --expect-hosts n[1"),
            "--expect-hosts must be a list of hosts such as node[01-03,07], found \"n[1\"");
  EXPECT_EQ(error_of("fleet node --spreads -1"), "--spreads must be from 0 to 1e+06, found \"-1\"");
}

}  // namespace
}  // namespace hpl
