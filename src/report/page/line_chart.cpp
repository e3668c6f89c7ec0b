#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "chart.h"
#include "format.h"

namespace hpl::page {

namespace {

using Json = nlohmann::ordered_json;

/// The plot in its own units, stretched to the width that the page gives; lines keep their width.
constexpr double kSize = 1000;
constexpr std::size_t kColours = 6;

std::string colour_class(std::size_t line) {
  return fmt::format("c{}", line % kColours + 1);
}

std::string path(const LineChart& chart, const LineChart::Points& points, bool backwards = false) {
  std::string commands;
  const auto add = [&](const std::pair<double, double>& point) {
    const double x = std::clamp(chart.x.place(point.first), -1.0, 2.0);
    const double y = std::clamp(chart.y.place(point.second), -1.0, 2.0);
    commands += fmt::format("{}{:.1f} {:.1f}", commands.empty() && !backwards ? "M" : "L",
                            kSize * x, kSize * (1 - y));
  };
  if (backwards) {
    std::for_each(points.rbegin(), points.rend(), add);
  } else {
    std::for_each(points.begin(), points.end(), add);
  }
  return commands;
}

std::string legend(const LineChart& chart) {
  std::string html = R"(<div class="legend">)";
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    html += fmt::format(R"(<span class="key {}{}"><i></i>{}</span>)", colour_class(i),
                        chart.lines[i].faint ? " faint" : "", escape(chart.lines[i].label));
  }
  for (const LineChart::Band& band : chart.bands)
    html += fmt::format(R"(<span class="key area c1"><i></i>{}</span>)", escape(band.label));
  for (const LineChart::Level& level : chart.levels)
    html += fmt::format(R"(<span class="key level"><i></i>{}</span>)", escape(level.label));
  return html + "</div>";
}

std::string drawing(const LineChart& chart) {
  std::string svg = fmt::format(R"(<svg role="img" aria-label="{}"><title>{}</title>)",
                                escape(chart.summary), escape(chart.summary));
  for (const double tick : chart.y.ticks) {
    const std::string y = percent_length(1 - chart.y.place(tick));
    svg += fmt::format(R"(<line class="grid" x1="0" x2="100%" y1="{0}" y2="{0}"/>)", y);
  }
  svg += fmt::format(
      R"(<svg width="100%" height="100%" viewBox="0 0 {0} {0}" preserveAspectRatio="none">)",
      kSize);
  for (const LineChart::Band& band : chart.bands) {
    svg += fmt::format(R"(<path class="band c1" d="{}{}Z"/>)", path(chart, band.lower),
                       path(chart, band.upper, true));
  }
  for (std::size_t i = chart.lines.size(); i-- > 0;) {
    svg += fmt::format(R"(<path class="line {}{}" d="{}"/>)", colour_class(i),
                       chart.lines[i].faint ? " faint" : "", path(chart, chart.lines[i].points));
  }
  svg += "</svg>";
  for (const LineChart::Level& level : chart.levels) {
    svg += fmt::format(R"(<line class="level" x1="0" x2="100%" y1="{0}" y2="{0}"/>)",
                       percent_length(1 - chart.y.place(level.value)));
  }
  return svg + "</svg>";
}

/// What the page's script needs to show values under the pointer.
std::string data_script(const LineChart& chart) {
  const auto rounded = [](double value) { return Json::parse(fmt::format("{:.5g}", value)); };
  const auto points_of = [&](const LineChart::Points& points) {
    Json array = Json::array();
    for (const auto& [x, y] : points)
      array.push_back({rounded(x), rounded(y)});
    return array;
  };
  Json lines = Json::array();
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    lines.push_back({{"label", chart.lines[i].label},
                     {"colour", colour_class(i)},
                     {"points", points_of(chart.lines[i].points)}});
  }
  for (const LineChart::Band& band : chart.bands) {
    lines.push_back({{"label", band.label},
                     {"colour", "c1"},
                     {"points", points_of(band.lower)},
                     {"upper", points_of(band.upper)}});
  }
  const Json data = {{"from", chart.x.from},       {"to", chart.x.to},
                     {"unit", chart.unit},         {"x", chart.x_title},
                     {"names", chart.point_names}, {"lines", std::move(lines)}};
  std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  // "</script>" inside a string would end the element.
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
    text.replace(at, 1, "\\u003c");
  return R"(<script type="application/json">)" + text + "</script>";
}

}  // namespace

std::string to_html(const LineChart& chart) {
  std::string html = fmt::format(
      R"(<figure class="chart lines"><figcaption>{}<small>{}</small></figcaption>{})",
      escape(chart.title), escape(chart.note.empty() ? chart.unit : chart.unit + ", " + chart.note),
      legend(chart));
  html += R"(<div class="frame"><div class="y">)";
  for (const double tick : chart.y.ticks) {
    html += fmt::format(R"(<span style="bottom:{}">{}</span>)", percent_length(chart.y.place(tick)),
                        number_text(tick));
  }
  html += R"(</div><div class="plot" tabindex="0">)" + drawing(chart) +
          R"(<div class="cross" hidden></div><div class="tip" hidden></div></div><div class="x">)";
  for (const double tick : chart.x.ticks) {
    html += fmt::format(R"(<span style="left:{}">{}</span>)", percent_length(chart.x.place(tick)),
                        number_text(tick));
  }
  html += fmt::format(R"(</div><div class="xtitle">{}</div></div>{}</figure>)",
                      escape(chart.x_title), data_script(chart));
  return html + "\n";
}

}  // namespace hpl::page
