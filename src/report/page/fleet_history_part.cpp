#include <algorithm>

#include <fmt/format.h>

#include "chart.h"
#include "fleet_parts.h"
#include "format.h"
#include "hpl/base/text/zoned_time.h"

namespace hpl::page {

namespace {

constexpr std::size_t kMostDrifts = 24;

/// Median and extremes of a kind's rates over the acceptances.
std::string history_chart(const FleetHistory& history, const std::string& kind) {
  std::vector<std::pair<std::size_t, const FigureStatistics*>> seen;
  double least = 0, most = 0;
  for (std::size_t i = 0; i < history.fleets.size(); ++i)
    if (const auto* rates = statistics_of(*history.fleets[i], kind, FleetFigure::Gflops)) {
      least = seen.empty() ? rates->minimum : std::min(least, rates->minimum);
      most = std::max(most, rates->maximum);
      seen.emplace_back(i, rates);
    }
  if (seen.size() < 2) return {};
  const RateUnit unit = rate_unit(most);
  LineChart chart{.title = kind,
                  .unit = unit.name,
                  .x_title = fmt::format("{} acceptances by date", history.fleets.size()),
                  .summary = fmt::format("Rates of {} over {} acceptances", kind, seen.size()),
                  .x = exact_axis(0, static_cast<double>(history.fleets.size() - 1), 1),
                  .y = level_axis(least / unit.gflops, most / unit.gflops),
                  .lines = {{.label = "median", .points = {}}},
                  .bands = {{.label = "all units", .lower = {}, .upper = {}}},
                  .levels = {},
                  .point_names = {}};
  if (chart.y.from > 0) chart.note = "axis from " + number_text(chart.y.from);
  for (const auto& [index, rates] : seen) {
    const auto x = static_cast<double>(index);
    chart.lines[0].points.emplace_back(x, rates->median / unit.gflops);
    chart.bands[0].lower.emplace_back(x, rates->minimum / unit.gflops);
    chart.bands[0].upper.emplace_back(x, rates->maximum / unit.gflops);
    chart.point_names.push_back(day_of(*history.fleets[index]));
  }
  return to_html(chart);
}

std::string drift_table(const FleetHistory& history) {
  std::string rows;
  std::size_t shown = 0;
  for (const UnitDrift& drift : history.drifts) {
    if (drift.against_peers > -kLeastDrift || shown == kMostDrifts) break;
    ++shown;
    rows += fmt::format(
        R"(<tr><th scope="row">{}</th><td class="n h{}">{:+.1f} %</td><td class="n">{:+.1f}</td>)",
        escape(drift.unit), heat(-drift.against_peers), drift.percent, drift.against_peers);
    for (const auto& rate : drift.gflops)
      rows += fmt::format(R"(<td class="n">{}</td>)", rate ? rate_text(*rate) : "");
    rows += "</tr>\n";
  }
  if (rows.empty())
    return fmt::format("<p class=\"left\">No unit lost more than {:g} % against its peers.</p>",
                       kLeastDrift);
  std::string html =
      R"(<div class="scroll tall" tabindex="0" role="region" aria-label="What drifted"><table><thead><tr>)"
      R"(<th scope="col">Unit</th><th scope="col" class="n">Change</th><th scope="col" class="n">Against its peers, points</th>)";
  for (const FleetReport* fleet : history.fleets)
    html += fmt::format(R"(<th scope="col" class="n">{}</th>)", escape(day_of(*fleet)));
  return html + "</tr></thead><tbody>\n" + rows + "</tbody></table></div>";
}

}  // namespace

std::string history_part(const FleetHistory& history) {
  if (history.fleets.size() < 2) return {};
  std::string html = "<h3>What drifted over the acceptances</h3>";
  const RunSpec& last = history.fleets.back()->spec;
  for (const FleetReport* fleet : history.fleets)
    if (const auto difference = run_difference(fleet->spec, last)) {
      html += fmt::format(
          R"(<p class="remark">The runs differ ({} on {}; {} last): changes against peers count, changes of all do not.</p>)",
          escape(difference->one), escape(day_of(*fleet)), escape(difference->other));
      break;
    }
  html += R"(<div class="charts">)";
  for (const FleetKind& kind : history.fleets.back()->kinds)
    html += history_chart(history, kind.kind);
  html += "</div>" + drift_table(history);
  if (!history.gone.empty())
    html +=
        fmt::format(R"(<p class="left">No longer there: {}.</p>)", escape(joined(history.gone)));
  if (!history.added.empty())
    html += fmt::format(R"(<p class="left">New: {}.</p>)", escape(joined(history.added)));
  return html;
}

}  // namespace hpl::page
