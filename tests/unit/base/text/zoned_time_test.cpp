#include "hpl/base/text/zoned_time.h"

#include <string>

#include <gtest/gtest.h>

namespace hpl {
namespace {

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
