#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "chart.h"
#include "findings.h"
#include "format.h"
#include "rate_history.h"
#include "sections.h"
#include "spread.h"

namespace hpl::page {

namespace {

/// Rows that a chart can hold and still be read.
constexpr std::size_t kMostRows = 40;
constexpr std::size_t kMostLines = 6;

std::vector<double> rates_of(const Group& group, double unit) {
  std::vector<double> rates;
  for (const Run* run : group.runs)
    if (run->gflops) rates.push_back(*run->gflops / unit);
  return rates;
}

std::string rate_chart(std::span<const Group> groups) {
  const double most = fastest(groups).best().gflops.value_or(0);
  const RateUnit unit = rate_unit(most);
  std::vector<const Group*> shown;
  for (const Group& group : groups)
    shown.push_back(&group);
  if (shown.size() > kMostRows) {
    std::stable_sort(shown.begin(), shown.end(), [](const Group* a, const Group* b) {
      return a->best().gflops.value_or(0) > b->best().gflops.value_or(0);
    });
    shown.resize(kMostRows);
  }
  RangeChart chart{.title = shown.size() < groups.size() ? fmt::format("Rate, the {} fastest of {}",
                                                                       shown.size(), groups.size())
                                                         : "Rate",
                   .unit = unit.name,
                   .summary = fmt::format("Rates of {}; the fastest reaches {}",
                                          count_text(groups.size(), "run"), rate_text(most)),
                   .x = round_axis(0, most / unit.gflops),
                   .bars = true,
                   .rows = {}};
  for (const Group* group : shown) {
    const std::vector<double> rates = rates_of(*group, unit.gflops);
    const Spread spread = spread_of(rates);
    const bool repeated = rates.size() > 1;
    chart.rows.push_back(
        {.label = group->label,
         .text = fmt::format("{:.4g}", spread.median),
         .title = fmt::format("{}: {:.4g} {}{}", group->label, spread.median, unit.name,
                              repeated ? fmt::format(", median of {} from {:.4g} to {:.4g}",
                                                     rates.size(), spread.minimum, spread.maximum)
                                       : ""),
         .low = spread.minimum,
         .middle = spread.median,
         .high = spread.maximum,
         .dots = repeated && rates.size() <= 12 ? rates : std::vector<double>(),
         .marked = group->status() == "failed"});
  }
  return to_html(chart);
}

/// Over the share of the work that is done: runs of different lengths lie above each other.
std::string history_chart(std::span<const Group> groups, std::span<const std::size_t> in_full) {
  std::vector<std::pair<const Group*, RateHistory>> histories;
  double most = 0, least = std::numeric_limits<double>::max();
  for (const std::size_t i : in_full) {
    if (histories.size() == kMostLines) break;
    RateHistory history = rate_history(groups[i].best(), 80);
    for (const RateHistory::Point& point : history.points) {
      most = std::max(most, point.interval);
      least = std::min(least, point.interval);
    }
    if (history.points.size() > 1) histories.emplace_back(&groups[i], std::move(history));
  }
  if (histories.size() < 2) return {};
  const RateUnit unit = rate_unit(most);
  LineChart chart{.title = "Rate while it ran",
                  .unit = unit.name,
                  .x_title = "operations done, %",
                  .summary = fmt::format("Rate over the share of the operations for {}",
                                         count_text(histories.size(), "run")),
                  .x = exact_axis(0, 100),
                  .y = level_axis(least / unit.gflops, most / unit.gflops),
                  .lines = {},
                  .bands = {},
                  .levels = {},
                  .point_names = {}};
  if (chart.y.from > 0) chart.note = "axis from " + number_text(chart.y.from);
  for (const auto& [group, history] : histories) {
    LineChart::Line line{.label = group->label, .points = {}};
    for (const RateHistory::Point& point : history.points)
      line.points.emplace_back(100 * point.done, point.interval / unit.gflops);
    chart.lines.push_back(std::move(line));
  }
  return to_html(chart);
}

std::string cell(std::string_view text) {
  return fmt::format(R"(<td class="n">{}</td>)", escape(text));
}

std::string table_row(const Group& group, const Run& run, const Run* first) {
  const double reference = first->gflops.value_or(0);
  const std::string repeat =
      group.runs.size() > 1 ? fmt::format(", repetition {}", run.repeat_index + 1) : "";
  std::string html = fmt::format("<tr><th scope=\"row\">{}{}</th>", escape(group.label), repeat);
  html += fmt::format(R"(<td><span class="status {0}">{0}</span></td>)", escape(run.status));
  html += cell(run.gflops ? rate_text(*run.gflops) : "");
  html += cell(run.gflops && reference > 0 && &run != first
                   ? fmt::format("{:+.1f} %", 100 * (*run.gflops / reference - 1))
                   : "");
  html += cell(run.gflops && run.attainable_gflops.value_or(0) > 0
                   ? percent_text(*run.gflops / *run.attainable_gflops)
                   : "");
  html += cell(run.seconds ? (*run.seconds < 1 ? fmt::format("{:.3g}", *run.seconds)
                                               : fmt::format("{:.2f}", *run.seconds))
                           : "") +
          cell(run.scaled_residual ? fmt::format("{:.2e}", *run.scaled_residual) : "") +
          cell(std::to_string(run.order)) + cell(std::to_string(run.block_size)) +
          cell(fmt::format("{} × {}", run.grid_rows, run.grid_columns));
  return html + fmt::format("<td><code>{}</code></td></tr>\n", escape(run.variant));
}

}  // namespace

std::string comparison_section(std::span<const Group> groups,
                               std::span<const std::size_t> in_full) {
  std::size_t runs = 0;
  for (const Group& group : groups)
    runs += group.runs.size();
  if (runs < 2) return {};
  std::string html = fmt::format("<section><h2>{}</h2>",
                                 groups.size() > 1 ? "Runs beside each other" : "Repetitions") +
                     R"(<div class="charts">)" + rate_chart(groups) +
                     history_chart(groups, in_full) + "</div>";
  html +=
      R"(<div class="scroll tall runs" tabindex="0" role="region" aria-label="All runs"><table><thead><tr>)"
      R"(<th scope="col">Run</th><th scope="col">Status</th><th scope="col" class="n">Rate</th>)"
      R"(<th scope="col" class="n">To the first</th><th scope="col" class="n">Of attainable</th>)"
      R"(<th scope="col" class="n">Seconds</th><th scope="col" class="n">Residual</th>)"
      R"(<th scope="col" class="n">N</th><th scope="col" class="n">NB</th>)"
      R"(<th scope="col" class="n">P × Q</th><th scope="col">Code</th></tr></thead><tbody>)"
      "\n";
  const Run* const first = groups.front().runs.front();
  for (const Group& group : groups)
    for (const Run* run : group.runs)
      html += table_row(group, *run, first);
  return html + "</tbody></table></div></section>\n";
}

}  // namespace hpl::page
