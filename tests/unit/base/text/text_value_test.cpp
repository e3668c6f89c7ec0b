#include "hpl/base/text/text_value.h"

#include <string>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
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

}  // namespace
}  // namespace hpl
