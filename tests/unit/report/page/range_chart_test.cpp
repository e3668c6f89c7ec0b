#include <gtest/gtest.h>

#include "report/page/chart.h"

namespace hpl::page {
namespace {

RangeChart a_chart() {
  return {.title = "Where the time went",
          .unit = "seconds",
          .summary = "Seconds of every phase",
          .x = round_axis(0, 10),
          .bars = true,
          .rows = {{.label = "matrix multiply",
                    .text = "50.0 %",
                    .title = "matrix multiply: 5 s",
                    .low = 4,
                    .middle = 5,
                    .high = 7,
                    .dots = {4, 5, 7}}}};
}

TEST(RangeChart, DrawsBarRangeDotsAndMiddle) {
  const std::string html = to_html(a_chart());
  EXPECT_NE(html.find(R"(class="bar" x="0.00%" width="50.00%")"), std::string::npos) << html;
  EXPECT_NE(html.find(R"(class="range" x="40.00%" width="30.00%")"), std::string::npos) << html;
  EXPECT_NE(html.find(R"(<circle class="dot" cx="70.00%")"), std::string::npos) << html;
  EXPECT_NE(html.find(R"(class="middle" x1="50.00%" x2="50.00%")"), std::string::npos) << html;
  EXPECT_EQ(html.find(R"(class="box")"), std::string::npos) << html;
}

TEST(RangeChart, DrawsTheQuartilesOfMany) {
  RangeChart chart = a_chart();
  chart.rows[0].dots.clear();
  chart.rows[0].low_quartile = 4.5;
  chart.rows[0].high_quartile = 6;
  EXPECT_NE(to_html(chart).find(R"(class="box" x="45.00%" width="15.00%")"), std::string::npos);
}

TEST(RangeChart, SaysEveryRowInWordsForThoseWhoCannotSeeIt) {
  EXPECT_NE(to_html(a_chart()).find(R"(aria-label="matrix multiply: 5 s")"), std::string::npos);
}

TEST(RangeChart, MarksARowAndEscapesItsText) {
  RangeChart chart = a_chart();
  chart.rows[0].marked = true;
  chart.rows[0].label = "<i>";
  const std::string html = to_html(chart);
  EXPECT_NE(html.find(R"(class="row marked")"), std::string::npos);
  EXPECT_EQ(html.find("<i>"), std::string::npos);
}

TEST(RangeChart, KeepsValuesOffTheAxisInsideIt) {
  RangeChart chart = a_chart();
  chart.rows[0].middle = 1e9;
  chart.rows[0].low = -5;
  const std::string html = to_html(chart);
  EXPECT_NE(html.find(R"(class="bar" x="0.00%" width="100.00%")"), std::string::npos) << html;
  EXPECT_NE(html.find(R"(class="range" x="0.00%")"), std::string::npos) << html;
}

}  // namespace
}  // namespace hpl::page
