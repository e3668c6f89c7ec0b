#include "hpl/base/text/text_value.h"

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/zoned_time.h"
#include "support/message_of.h"

namespace hpl {
namespace {

TEST(RequireBytes, ReadsNumbersWithUnitsOfEitherKind) {
  EXPECT_EQ(require_bytes("--size", "4096"), 4096);
  EXPECT_EQ(require_bytes("--size", "2K"), 2000);
  EXPECT_EQ(require_bytes("--size", "512MB"), 512'000'000);
  EXPECT_EQ(require_bytes("--size", "40G"), 40'000'000'000);
  EXPECT_EQ(require_bytes("--size", "1.5GiB"), 3LL << 29);
  EXPECT_EQ(require_bytes("--size", "3TiB"), 3LL << 40);
}

TEST(RequireBytes, RefusesAnythingElseWithTheTextFound) {
  for (const std::string text :
       {"", "G", "0", "-1G", "40X", "40GX", "40Gi", "4 G", "1e3", "99999999T", "1.2.3G", "iB"}) {
    EXPECT_EQ(
        test::message_of<ConfigError>([&] { require_bytes("--size", text); }),
        "--size must be an amount of memory such as 40G or 512MiB, found " + quote_printable(text));
  }
}

TEST(ShownText, KeepsNamesAndLeavesOutTheMiddleOfLongOnes) {
  const std::string longest(kLongestShown, 'n');
  EXPECT_EQ(shown_text(longest), longest);
  const std::string shown = shown_text("/scratch/" + std::string(5000, 'n') + "/run.json");
  EXPECT_LE(shown.size(), kLongestShown);
  EXPECT_TRUE(shown.starts_with("/scratch/nnn")) << shown;
  EXPECT_TRUE(shown.ends_with("nnn/run.json")) << shown;
  EXPECT_NE(shown.find("n...n"), std::string::npos) << shown;
}

TEST(ShownText, CutsNoCharacterOfSeveralBytes) {
  std::string euros;
  while (euros.size() < 1000)
    euros += "\xe2\x82\xac";
  for (const char* const before : {"", "a", "ab"}) {
    const std::string shown = shown_text(before + euros);
    EXPECT_NE(shown.find("\xe2\x82\xac...\xe2\x82\xac"), std::string::npos) << shown;
  }
}

TEST(Split, CutsLinesFieldsAndPairs) {
  using Views = std::vector<std::string_view>;
  EXPECT_EQ(split_lines("a\n\nb\n"), (Views{"a", "", "b"}));
  EXPECT_TRUE(split_lines("").empty());
  EXPECT_EQ(split_fields("a,;b", ",;"), (Views{"a", "", "b"}));
  EXPECT_EQ(split_words(" a\tb \n"), (Views{"a", "b"}));
  EXPECT_EQ(split_pair("key=a=b", '='),
            (std::pair<std::string_view, std::string_view>("key", "a=b")));
  EXPECT_EQ(split_pair("key", '='), (std::pair<std::string_view, std::string_view>("key", "")));
}

TEST(ConfigError, FormatsArgumentsAndLeavesAReadyTextAlone) {
  EXPECT_STREQ(ConfigError("{} of {}", 1, "two").what(), "1 of two");
  EXPECT_STREQ(ConfigError("a set {}").what(), "a set {}");
}

std::string complaint(const std::string& text) {
  return test::message_of<ConfigError>([&] { require_duration("--for", text); });
}

TEST(Duration, EachUnitCountsItsSeconds) {
  EXPECT_EQ(require_duration("--for", "30s"), 30);
  EXPECT_EQ(require_duration("--for", "10m"), 600);
  EXPECT_EQ(require_duration("--for", "2h"), 7200);
  EXPECT_EQ(require_duration("--for", "1d"), 86400);
  EXPECT_EQ(require_duration("--for", "0.5s"), 0.5);
}

TEST(Duration, LargerUnitsGoFirstAndAddUp) {
  EXPECT_EQ(require_duration("--for", "1h30m"), 5400);
  EXPECT_EQ(require_duration("--for", "1d2h3m4s"), 86400 + 7200 + 180 + 4);
}

TEST(Duration, AnythingElseIsRefusedWithWhatWasFound) {
  for (const std::string text :
       {"", "10", "m", "10 m", "10x", "-5m", "+5m", "1m1h", "1m1m", "0s", "1.2.3s", "5ms", "nan"})
    EXPECT_EQ(complaint(text),
              "--for must be a time such as 30s, 10m or 1h30m, found \"" + text + "\"");
  EXPECT_EQ(complaint("9000h"), "--for must be at most 365d, found \"9000h\"");
  EXPECT_EQ(complaint("8760h"), "no error");
}

TEST(Duration, TextHasTheTwoLargestUnits) {
  EXPECT_EQ(duration_text(0), "0s");
  EXPECT_EQ(duration_text(44.6), "45s");
  EXPECT_EQ(duration_text(60), "1m");
  EXPECT_EQ(duration_text(580), "9m40s");
  EXPECT_EQ(duration_text(7510), "2h5m");
  EXPECT_EQ(duration_text(7205), "2h");
  EXPECT_EQ(duration_text(86400), "1d");
}

TEST(Duration, TextIsReadAsTheSameTime) {
  for (const double seconds : {1.0, 59.0, 61.0, 5400.0, 90000.0})
    EXPECT_EQ(require_duration("--for", duration_text(seconds)), seconds);
}

using Names = std::vector<std::string>;

TEST(HostNames, AreWithoutADomainWhereOneHasNone) {
  const auto names = host_names({"n1", "n1.site", "n2.site", "n3", "n3.a", "n3.b", "10.0.0.1"});
  EXPECT_EQ(names.at("n1.site"), "n1");
  EXPECT_EQ(names.at("n2.site"), "n2.site") << "nobody calls it otherwise";
  for (const char* const name : {"n1", "n3", "n3.a", "n3.b", "10.0.0.1"})
    EXPECT_EQ(names.at(name), name);
  EXPECT_EQ(without_domain("n1.site.org"), "n1");
  EXPECT_EQ(without_domain("10.0.0.1"), "10.0.0.1");
}

TEST(HostNames, ArePlainWithoutWhatAShellReads) {
  EXPECT_TRUE(is_plain_host("Node_01.site-a"));
  for (const char* const name : {"", "n1;id;#", "n[1]", "a b", "n\n", "$x", "n\xC3\xA9"})
    EXPECT_FALSE(is_plain_host(name)) << name;
}

TEST(HostList, NeighboursBecomeARange) {
  EXPECT_EQ(host_list({"node07", "node01", "node03", "node02"}), "node[01-03,07]");
  EXPECT_EQ(host_list({"node1", "node2"}), "node[1-2]");
}

TEST(HostList, OneHostNeedsNoBrackets) {
  EXPECT_EQ(host_list({"node07"}), "node07");
  EXPECT_EQ(host_list({"login"}), "login");
  EXPECT_EQ(host_list({}), "");
}

TEST(HostList, EachHostStandsThereOnce) {
  EXPECT_EQ(host_list({"n1", "n1", "login", "login"}), "login,n1");
}

TEST(HostList, ZerosInFrontAreKept) {
  EXPECT_EQ(host_list({"n8", "n9", "n10", "n11"}), "n[8-11]");
  EXPECT_EQ(host_list({"n08", "n09", "n10"}), "n[08-10]");
  EXPECT_EQ(host_list({"n099", "n100"}), "n[099-100]");
  // n9 and n010 are no neighbours: a range that begins with 9 goes on with 10.
  EXPECT_EQ(host_list({"n9", "n010"}), "n[9,010]");
}

TEST(HostList, StemsAreKeptApart) {
  EXPECT_EQ(host_list({"a1", "b1", "a2", "rack2n01", "rack1n01"}), "a[1-2],b1,rack1n01,rack2n01");
}

TEST(HostList, NumbersInsideANameAreLeftAlone) {
  EXPECT_EQ(host_list({"n1.site", "n2.site"}), "n1.site,n2.site");
  EXPECT_EQ(host_list({"10.0.0.1", "10.0.0.2"}), "10.0.0.1,10.0.0.2");
  EXPECT_EQ(host_list({"1", "2"}), "1,2");
}

TEST(HostList, GoesThereAndBack) {
  for (const Names& names : {Names{"n08", "n09", "n10"}, Names{"n8", "n9", "n10", "n12"},
                             Names{"a1", "a3", "b"}, Names{}})
    EXPECT_EQ(expand_host_list("--test", host_list(names)), names);
}

TEST(HostList, AThousandHostsAreOneRange) {
  Names names;
  for (int i = 0; i < 1000; ++i)
    names.push_back("node" + std::to_string(1000 + i));
  EXPECT_EQ(host_list(names), "node[1000-1999]");
  EXPECT_EQ(expand_host_list("--test", "node[1000-1999]"), names);
}

TEST(HostList, ANameMayHaveSeveralRanges) {
  EXPECT_EQ(expand_host_list("--test", "r[1-2]n[08-09],login"),
            (Names{"r1n08", "r1n09", "r2n08", "r2n09", "login"}));
  EXPECT_EQ(expand_host_list("--test", "r[1-2][1,3]"), (Names{"r11", "r13", "r21", "r23"}));
}

TEST(HostList, WhatIsNoListIsRefused) {
  for (const char* const text :
       {"node[", "node[1", "node[1-", "node[3-1]", "node[a]", "a,,b", "a,", ",a", "node[1]x", "]",
        "node[]", "n[1-9999999999]", "r[1-2]n[3", "r[1-2]n", "n[1-90000]m[1-90000]"})
    EXPECT_THROW(expand_host_list("--test", text), ConfigError) << text;
}

TEST(RateText, ChoosesAUnitOfOneToThreeDigits) {
  EXPECT_EQ(rate_text(0.2673), "267 MFLOP/s");
  EXPECT_EQ(rate_text(11.756), "11.8 GFLOP/s");
  EXPECT_EQ(rate_text(14), "14.0 GFLOP/s");
  EXPECT_EQ(rate_text(999.4, 4), "999.4 GFLOP/s");
  EXPECT_EQ(rate_text(999.7), "1.000 TFLOP/s");
  EXPECT_EQ(rate_text(53612, 4), "53.61 TFLOP/s");
  EXPECT_EQ(rate_text(1.5e9), "1.50 EFLOP/s");
  EXPECT_EQ(rate_text(0), "0 MFLOP/s");
}

TEST(Significant, HasNoExponent) {
  EXPECT_EQ(significant(51234.4), "51234");
  EXPECT_EQ(significant(-0.03125), "-0.0312");
  EXPECT_EQ(significant(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(SecondsText, UsesMinutesAndHoursWhereSecondsSayLittle) {
  EXPECT_EQ(seconds_text(0.0421), "0.0421 s");
  EXPECT_EQ(seconds_text(2.5), "2.50 s");
  EXPECT_EQ(seconds_text(725), "12 min 05 s");
  EXPECT_EQ(seconds_text(11042), "3 h 04 min");
  EXPECT_EQ(seconds_text(std::numeric_limits<double>::infinity()), "?");
}

TEST(EstimateText, HasNoHundredths) {
  EXPECT_EQ(estimate_text(0.2137), "0.2 s");
  EXPECT_EQ(estimate_text(9.6), "10 s");
  EXPECT_EQ(estimate_text(41.7), "42 s");
  EXPECT_EQ(estimate_text(59.7), "60 s");
  EXPECT_EQ(estimate_text(725), "12 min 05 s");
}

TEST(CountText, KnowsTheSingular) {
  EXPECT_EQ(count_text(1, "run"), "1 run");
  EXPECT_EQ(count_text(3u, "run"), "3 runs");
}

TEST(ZonedTime, SaysWhenAndInWhichZone) {
  EXPECT_EQ(iso_time({1'000'000'000.25, 3600}), "2001-09-09T02:46:40.250+01:00");
  EXPECT_EQ(iso_time({1'000'000'000.0, -12600}), "2001-09-08T22:16:40.000-03:30");
}

TEST(ZonedTime, TheUnknownMomentHasNoText) {
  EXPECT_EQ(iso_time({}), "");
}

TEST(ZonedTime, IsReadAsItWasWritten) {
  for (const ZonedTime& time : {ZonedTime{1'000'000'000.25, 3600}, ZonedTime{1.5e9, -12600},
                                ZonedTime{1'700'000'000.0, 0}}) {
    const auto read = parse_iso_time(iso_time(time));
    ASSERT_TRUE(read);
    EXPECT_DOUBLE_EQ(read->seconds, time.seconds);
    EXPECT_EQ(read->zone_offset_seconds, time.zone_offset_seconds);
  }
  const auto zulu = parse_iso_time("2001-09-09T01:46:40Z");
  ASSERT_TRUE(zulu);
  EXPECT_EQ(zulu->seconds, 1e9);
}

TEST(ZonedTime, IsReadInOtherFormsOfTheSame) {
  for (const char* const text : {"2026-01-03T04:00:00Z", "2026-01-03T05:00:00.000+01:00",
                                 "2026-01-02 23:00:00-0500", "2026/01/03 04:00"})
    EXPECT_EQ(parse_iso_time(text).value_or(ZonedTime{}).seconds, 1767412800) << text;
}

TEST(ZonedTime, OfTheDayBeforeInTheWestIsWrittenSo) {
  EXPECT_EQ(iso_time({1, -3600}), "1969-12-31T23:00:01.000-01:00");
}

TEST(ZonedTime, OfMidnightBelongsToTheDayThatBegins) {
  EXPECT_EQ(iso_time({86400, 0}), "1970-01-02T00:00:00.000+00:00");
  EXPECT_EQ(iso_time({3600, -3600}), "1970-01-01T00:00:00.000-01:00");
}

TEST(ZonedTime, NothingElseIsAMoment) {
  for (const char* const text :
       {"", "yesterday", "2001-09-09", "2001-13-09T01:46:40Z", "2026-02-30T04:00:00Z",
        "2026-01-03T24:00:00Z", "2001-09-09T01:46:40+1:00", "2001-09-09T01:46:40Zulu",
        "2001-09-09T01:46:61Z", "2001-09-09T01:46:xxZ", "+001-09-09T01:46:40Z"})
    EXPECT_FALSE(parse_iso_time(text)) << text;
}

}  // namespace
}  // namespace hpl
