#include <algorithm>

#include <fmt/format.h>

#include "chart.h"
#include "format.h"

namespace hpl::page {

namespace {

/// A bar over part of the axis, at least wide enough to be seen.
std::string bar(const RangeChart& chart, const char* name, double low, double high, int height) {
  constexpr int kRowHeight = 28;
  const double from = std::clamp(chart.x.place(low), 0.0, 1.0);
  const double to = std::clamp(chart.x.place(high), from, 1.0);
  return fmt::format(R"(<rect class="{}" x="{}" width="{}" y="{}" height="{}" rx="1.5"/>)", name,
                     percent_length(from), percent_length(std::max(to - from, 0.002)),
                     (kRowHeight - height) / 2, height);
}

std::string strip(const RangeChart& chart, const RangeChart::Row& row) {
  std::string svg =
      fmt::format(R"(<svg role="img" aria-label="{0}"><title>{0}</title>)", escape(row.title));
  for (const double tick : chart.x.ticks) {
    svg += fmt::format(R"(<line class="grid" x1="{0}" x2="{0}" y1="0" y2="100%"/>)",
                       percent_length(chart.x.place(tick)));
  }
  if (chart.bars) svg += bar(chart, "bar", chart.x.from, row.middle, 16);
  if (row.high > row.low) svg += bar(chart, "range", row.low, row.high, 4);
  if (row.high_quartile > row.low_quartile)
    svg += bar(chart, "box", row.low_quartile, row.high_quartile, 10);
  for (const double dot : row.dots) {
    svg += fmt::format(R"(<circle class="dot" cx="{}" cy="14" r="3.5"/>)",
                       percent_length(std::clamp(chart.x.place(dot), 0.0, 1.0)));
  }
  svg += fmt::format(R"(<line class="middle" x1="{0}" x2="{0}" y1="5" y2="23"/>)",
                     percent_length(std::clamp(chart.x.place(row.middle), 0.0, 1.0)));
  return svg + "</svg>";
}

}  // namespace

std::string to_html(const RangeChart& chart) {
  std::string html =
      fmt::format(R"(<figure class="chart ranges"><figcaption>{}<small>{}</small></figcaption>)"
                  R"(<div class="rows" role="group" aria-label="{}">)",
                  escape(chart.title), escape(chart.unit), escape(chart.summary));
  for (const RangeChart::Row& row : chart.rows) {
    html += fmt::format(
        R"(<div class="row{}"><div class="name">{}</div><div class="strip">{}</div>)"
        R"(<div class="value">{}</div></div>)",
        row.marked ? " marked" : "", escape(row.label), strip(chart, row), escape(row.text));
    html += '\n';
  }
  html += R"(<div class="row axis"><div class="name"></div><div class="strip">)";
  for (const double tick : chart.x.ticks) {
    html += fmt::format(R"(<span style="left:{}">{}</span>)", percent_length(chart.x.place(tick)),
                        number_text(tick));
  }
  return html + R"(</div><div class="value"></div></div></div></figure>)" + "\n";
}

}  // namespace hpl::page
