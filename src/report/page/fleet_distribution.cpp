#include <algorithm>

#include <fmt/format.h>

#include "chart.h"
#include "fleet_parts.h"
#include "format.h"

namespace hpl::page {

namespace {

constexpr std::size_t kBins = 12;

/// How many units have which rate.
std::string distribution(const FleetReport& fleet, const FleetKind& kind) {
  const FigureStatistics* const rates = statistics_of(fleet, kind.kind, FleetFigure::Gflops);
  if (rates == nullptr || rates->count < 2 || !(rates->maximum > rates->minimum)) return {};
  const RateUnit unit = rate_unit(rates->maximum);
  std::vector<std::size_t> counts(kBins, 0);
  const double width = (rates->maximum - rates->minimum) / kBins;
  for (const FleetUnit& one : fleet.units) {
    const auto& rate = one.figures[FleetFigure::Gflops];
    if (one.kind != kind.kind || !rate) continue;
    const auto bin = static_cast<std::size_t>(
        std::clamp((*rate - rates->minimum) / width, 0.0, static_cast<double>(kBins - 1)));
    ++counts[bin];
  }
  const auto most = static_cast<double>(*std::ranges::max_element(counts));
  RangeChart chart{.title = "Distribution of " + kind.kind,
                   .unit = fmt::format("units by rate, {}", unit.name),
                   .summary = fmt::format("Rates of {} units", rates->count),
                   .x = round_axis(0, most),
                   .bars = true,
                   .rows = {}};
  for (std::size_t bin = kBins; bin-- > 0;) {
    const double low = rates->minimum + width * static_cast<double>(bin);
    const auto count = static_cast<double>(counts[bin]);
    const std::string label =
        fmt::format("{:.4g} to {:.4g}", low / unit.gflops, (low + width) / unit.gflops);
    chart.rows.push_back(
        {.label = label,
         .text = std::to_string(counts[bin]),
         .title = fmt::format("{}: {}", label, count_text(counts[bin], "unit")),
         .low = count,
         .middle = count,
         .high = count,
         .dots = {},
         .marked = rates->threshold && low + width <= *rates->threshold && counts[bin] > 0});
  }
  return to_html(chart);
}

std::string figure_table(const FleetReport& fleet) {
  std::string rows;
  for (const FleetKind& kind : fleet.kinds) {
    for (const FigureStatistics& one : kind.figures) {
      const FleetFigureInfo& about = info(one.figure);
      rows += fmt::format(R"(<tr><th scope="row">{}</th><td>{}{}{}</td><td class="n">{}</td>)",
                          escape(kind.kind), escape(about.label), about.unit.empty() ? "" : ", ",
                          escape(about.unit), one.count);
      for (const double value : {one.minimum, one.median, one.maximum, one.spread})
        rows += fmt::format(R"(<td class="n">{}</td>)", number_text(value));
      rows +=
          fmt::format(R"(<td class="n">{}</td><td>{}</td></tr>)",
                      one.threshold ? number_text(*one.threshold) : "", escape(one.worst_unit)) +
          "\n";
    }
    if (!kind.remark.empty())
      rows += fmt::format(R"(<tr><th scope="row">{}</th><td colspan="8">{}</td></tr>)",
                          escape(kind.kind), escape(kind.remark));
  }
  if (rows.empty()) return {};
  return R"(<div class="scroll tall" tabindex="0" role="region" aria-label="Figures of the fleet"><table><thead><tr>)"
         R"(<th scope="col">Kind</th><th scope="col">Figure</th><th scope="col" class="n">Units</th>)"
         R"(<th scope="col" class="n">Least</th><th scope="col" class="n">Median</th><th scope="col" class="n">Most</th>)"
         R"(<th scope="col" class="n">Robust spread</th><th scope="col" class="n">Finding from</th><th scope="col">Worst</th></tr></thead><tbody>)"
         "\n" +
         rows + "</tbody></table></div>";
}

}  // namespace

std::string distribution_part(const FleetReport& fleet) {
  std::string html = R"(<h3>Distribution</h3><div class="charts">)";
  for (const FleetKind& kind : fleet.kinds)
    html += distribution(fleet, kind);
  return html + "</div>" + figure_table(fleet);
}

}  // namespace hpl::page
