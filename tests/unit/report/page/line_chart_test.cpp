#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/page/chart.h"

namespace hpl::page {
namespace {

LineChart a_chart() {
  return {.title = "Rate",
          .unit = "TFLOP/s",
          .x_title = "seconds",
          .summary = "Rate over time",
          .x = exact_axis(0, 10),
          .y = exact_axis(0, 50),
          .lines = {{.label = "of the moment", .points = {{0, 0}, {10, 50}}}},
          .bands = {},
          .levels = {},
          .point_names = {}};
}

/// What the chart hands to the page's script.
nlohmann::json data_of(const std::string& html) {
  const std::string begin = R"(<script type="application/json">)";
  const auto from = html.find(begin) + begin.size();
  return nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
}

TEST(LineChart, DrawsAPathFromCornerToCorner) {
  EXPECT_NE(to_html(a_chart()).find(R"(d="M0.0 1000.0L1000.0 0.0")"), std::string::npos)
      << to_html(a_chart());
}

TEST(LineChart, MarksItsAxes) {
  const std::string html = to_html(a_chart());
  EXPECT_NE(html.find(R"(<span style="bottom:40.00%">20</span>)"), std::string::npos) << html;
  EXPECT_NE(html.find(R"(<span style="left:20.00%">2</span>)"), std::string::npos) << html;
}

TEST(LineChart, HandsItsValuesToTheScript) {
  const auto data = data_of(to_html(a_chart()));
  EXPECT_EQ(data["unit"], "TFLOP/s");
  EXPECT_EQ(data["lines"][0]["points"][1], nlohmann::json::array({10, 50}));
}

TEST(LineChart, DrawsABandAsOneClosedPath) {
  LineChart chart = a_chart();
  chart.bands = {{.label = "all", .lower = {{0, 10}, {10, 10}}, .upper = {{0, 40}, {10, 40}}}};
  const std::string html = to_html(chart);
  EXPECT_NE(html.find(R"(d="M0.0 800.0L1000.0 800.0L1000.0 200.0L0.0 200.0Z")"), std::string::npos)
      << html;
}

TEST(LineChart, CannotBeLeftByItsLabels) {
  LineChart chart = a_chart();
  chart.lines[0].label = "</script><b>\"x\"</b>";
  const std::string html = to_html(chart);
  EXPECT_EQ(html.find("<b>"), std::string::npos) << html;
  EXPECT_EQ(data_of(html)["lines"][0]["label"], chart.lines[0].label);
}

TEST(LineChart, KeepsWildValuesInsideTheDrawing) {
  LineChart chart = a_chart();
  chart.lines[0].points = {{0, -1e300}, {10, 1e300}};
  EXPECT_NE(to_html(chart).find(R"(d="M0.0 2000.0L1000.0 -1000.0")"), std::string::npos);
}

}  // namespace
}  // namespace hpl::page
