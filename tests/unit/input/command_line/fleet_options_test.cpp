#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "parsed.h"

namespace hpl {
namespace {

using test::error_of;
using test::parse;

TEST(FleetOptions, AskForNoFleetByDefault) {
  const Options options = parse({});
  EXPECT_FALSE(options.fleet.each || options.fleet.for_seconds || options.fleet.reference);
  EXPECT_EQ(options.fleet.spreads, 3);
}

TEST(FleetOptions, AreTaken) {
  const Options options =
      parse({"--each", "pair", "--for", "30m", "--check-spreads", "4.5", "--reference", "old.json",
             "--write-reference", "new.json", "--pass-list", "good", "--fail-list", "bad",
             "--expect-hosts", "n[08-10]"});
  EXPECT_EQ(options.fleet.each, FleetUnitKind::Pair);
  EXPECT_EQ(options.fleet.for_seconds, 1800);
  EXPECT_EQ(options.fleet.spreads, 4.5);
  EXPECT_EQ(options.fleet.reference, "old.json");
  EXPECT_EQ(options.fleet.reference_copy, "new.json");
  EXPECT_EQ(options.fleet.pass_list, "good");
  EXPECT_EQ(options.fleet.fail_list, "bad");
  EXPECT_EQ(options.fleet.expected_hosts, (std::vector<std::string>{"n08", "n09", "n10"}));
}

TEST(FleetOptions, TimesHaveUnits) {
  EXPECT_EQ(parse({"--each", "node", "--for", "1m30s"}).fleet.for_seconds, 90);
  EXPECT_EQ(error_of({"--each", "node", "--for", "90"}),
            "--for must be a time such as 30s, 10m or 1h30m, found \"90\"");
}

TEST(FleetOptions, BelongToEach) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--for", "90s"},
                                                {"--reference", "a"},
                                                {"--write-reference", "a"},
                                                {"--pass-list", "a"},
                                                {"--fail-list", "a"},
                                                {"--expect-hosts", "n1"},
                                                {"--check-spreads", "2"}})
    EXPECT_EQ(error_of(words), words[0] + " belongs to --each; give both");
}

TEST(FleetOptions, AreRefusedWhereOneRunOfAllRanksIsAskedFor) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--check"},
                                                {"--measure-rates", "a"},
                                                {"--tune", "a"},
                                                {"--stop-after", "0.5"},
                                                {"--csv", "a"},
                                                {"--trace", "a"},
                                                {"--power-command", "a"}}) {
    std::vector<std::string> all{"--each", "device"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_EQ(error_of(all),
              "--each and " + words[0] + " do not go together; leave one of them out");
  }
  EXPECT_EQ(error_of({"--each", "device", "--for", "1m", "--repeat", "2"}),
            "--for and --repeat both say how often; give one of them");
}

TEST(FleetOptions, AreRefusedOutsideTheirRanges) {
  EXPECT_EQ(error_of({"--each", "rack"}), "--each must be device, node or pair, found \"rack\"");
  EXPECT_EQ(error_of({"--each", "node", "--expect-hosts", "n[1"}),
            "--expect-hosts must be a list of hosts such as node[01-03,07], found \"n[1\"");
  EXPECT_EQ(error_of({"--each", "node", "--check-spreads", "-1"}),
            "--check-spreads must be from 0 to 1e+06, found \"-1\"");
}

}  // namespace
}  // namespace hpl
