#include "hpl/commands/campaign/options.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "support/message_of.h"

namespace hpl::campaign {
namespace {

using Words = std::vector<std::string>;

CampaignOptions options_of(Words words) {
  words.insert(words.begin(), "xhpl-campaign");
  std::vector<const char*> pointers;
  for (const std::string& word : words)
    pointers.push_back(word.c_str());
  return parse_campaign_command_line(static_cast<int>(pointers.size()), pointers.data());
}

std::string message(const Words& words) {
  return test::message_of<ConfigError>([&] { options_of(words); });
}

TEST(CampaignOptions, FlagsOfXhplStandAnywhere) {
  const CampaignOptions options =
      options_of({"-N", "100", "-o", "june", "--label", "a=b", "--per-node", "8", "--device=cpu"});
  EXPECT_EQ(options.directory, "june");
  EXPECT_EQ(options.per_node, 8);
  EXPECT_EQ(options.flags, (Words{"-N", "100", "--label", "a=b", "--device=cpu"}));
}

TEST(CampaignOptions, FlagsOfAStepAreOneWord) {
  const CampaignOptions options = options_of(
      {"-o", "june", "--check-flags", "", "--fleet-flags=--auto --for 30m", "--run-flags", "-N 9"});
  EXPECT_EQ(options.check_flags, Words());
  EXPECT_EQ(options.fleet_flags, (Words{"--auto", "--for", "30m"}));
  EXPECT_EQ(options.run_flags, (Words{"-N", "9"}));
  EXPECT_FALSE(options_of({"-o", "june"}).run_flags) << "acceptances and proofs differ in them";
}

TEST(CampaignOptions, HelpAndVersionNeedNoDirectory) {
  EXPECT_TRUE(options_of({"--help"}).text.starts_with("xhpl campaign: accept a machine"));
  EXPECT_TRUE(options_of({"--version"}).text.starts_with("xhpl-campaign "));
}

TEST(CampaignOptions, BadInputIsRefusedWithWhatIsAllowed) {
  EXPECT_EQ(message({"june"}), "-o must say where the campaign's files go; did you mean -o june?");
  EXPECT_EQ(message({"-N", "9"}), "-o must say where the campaign's files go");
  EXPECT_EQ(message({"-o", "a", "--seconds", "300"}), "--seconds belongs to --proof; give both");
  EXPECT_EQ(message({"-o", "a", "--anonymous"}), "--anonymous belongs to --proof; give both");
  EXPECT_EQ(message({"-o", "a", "--proof", "--seconds", "60"}),
            "--seconds must be at least 120, found \"60\"");
  EXPECT_EQ(message({"-o", "a", "--hosts", "n1", "--hostfile", "f"}),
            "--hosts and --hostfile exclude each other");
  EXPECT_EQ(
      message({"-o"}),
      "--output must be followed by a value, found none; xhpl campaign --help shows every flag");
}

}  // namespace
}  // namespace hpl::campaign
