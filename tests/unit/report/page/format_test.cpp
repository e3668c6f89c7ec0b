#include "hpl/report/page/format.h"

#include <gtest/gtest.h>

namespace hpl::page {
namespace {

TEST(Escape, LeavesNothingThatHtmlCouldTakeForMarkup) {
  EXPECT_EQ(escape(R"(<script>"a" & 'b'</script>)"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;");
  EXPECT_EQ(escape("2 × 4"), "2 × 4");
}

TEST(Escape, LeavesNoControlCharacters) {
  EXPECT_EQ(escape(std::string_view("a\0\x1b[31m\x7f\n\tb", 11)),
            "a\xEF\xBF\xBD\xEF\xBF\xBD[31m\xEF\xBF\xBD\n\tb");
}

TEST(Utf8, IsToldFromOtherBytes) {
  for (const char* const good : {"", "plain", "caf\xC3\xA9", "\xF0\x9F\x98\x80"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
    EXPECT_EQ(mended_utf8(good), good);
  }
  for (const char* const bad : {"caf\xE9", "\xC3", "\xFF", "\xED\xA0\x80", "\xC0\x80"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
    EXPECT_TRUE(is_utf8(mended_utf8(bad))) << bad;
  }
  EXPECT_EQ(mended_utf8("caf\xE9"), "caf\xEF\xBF\xBD");
}

TEST(HtmlTable, MarksWhatTheCellsSayAndNothingElse) {
  Table table{.title = "<t>", .columns = columns_of("name|>GB/s")};
  EXPECT_EQ(html_of(table), "");
  table.add({"<a>", Cell("wrong", "failed")}, true);
  table.add({"b", "9"});
  table.rows[1].cells[1].shade = 3;
  table.notes = {"1 is <left> out"};
  EXPECT_EQ(html_of(table, "pairs"),
            "<div class=\"scroll pairs\" tabindex=\"0\" role=\"region\" aria-label=\"&lt;t&gt;\">"
            "<table><thead><tr><th scope=\"col\">name</th><th scope=\"col\" class=\"n\">GB/s</th>"
            "</tr></thead><tbody>\n"
            "<tr class=\"bad\"><th scope=\"row\">&lt;a&gt;</th><td class=\"n\">"
            "<span class=\"status failed\">wrong</span></td></tr>\n"
            "<tr><th scope=\"row\">b</th><td class=\"n h3\">9</td></tr>\n"
            "</tbody></table></div>\n<p class=\"left\">1 is &lt;left&gt; out</p>\n");
  EXPECT_TRUE(titled_html_of(table).starts_with("<h3>&lt;t&gt;</h3><div class=\"scroll tall\""));
}

TEST(Quantities, StayOnOneLine) {
  EXPECT_EQ(rate_text(53612), "53.61 TFLOP/s");
  EXPECT_EQ(percent_text(0.971), "97.1 %");
  EXPECT_EQ(seconds_text(725), "12 min 05 s");
}

}  // namespace
}  // namespace hpl::page
