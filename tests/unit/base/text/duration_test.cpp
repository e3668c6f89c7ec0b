#include "hpl/base/text/quantity.h"

#include <gtest/gtest.h>

#include <string>

#include "hpl/base/error/error.h"
#include "support/message_of.h"

namespace hpl {
namespace {

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

}  // namespace
}  // namespace hpl
