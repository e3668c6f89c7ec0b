#include <algorithm>

#include <fmt/format.h>

#include "format.h"
#include "sections.h"

namespace hpl::page {

namespace {

std::string place_of(const CheckFinding& finding) {
  std::string place = fmt::format("rank {}", finding.rank);
  if (!finding.host.empty()) place += " on " + finding.host;
  if (!finding.device.empty()) place += ", " + finding.device;
  if (finding.peer) {
    place += fmt::format(" with rank {}", *finding.peer);
    if (!finding.peer_host.empty()) place += " on " + finding.peer_host;
  }
  return place;
}

/// An outlier is marked by its word and its place, not by its colour alone.
std::string finding_table(const Preflight& check) {
  if (check.findings.empty()) return "<p>Nothing stands out.</p>";
  std::string html =
      R"(<div class="scroll tall" tabindex="0" role="region" aria-label="What stands out"><table>)"
      R"(<thead><tr><th scope="col">Kind</th><th scope="col">Where</th><th scope="col">What</th>)"
      "</tr></thead><tbody>\n";
  for (const CheckFinding& finding : check.findings) {
    const bool bad = finding.kind != "remark";
    html += fmt::format(
        R"(<tr{}><td><span class="status {}">{}</span></td><th scope="row">{}</th><td>{}</td></tr>)",
        bad ? R"( class="bad")" : "", bad ? "failed" : "unchecked", escape(finding.kind),
        escape(place_of(finding)), escape(finding.what));
    html += '\n';
  }
  return html + "</tbody></table></div>";
}

std::string cell(const std::optional<double>& value) {
  return fmt::format(R"(<td class="n">{}</td>)", value ? number_text(*value) : "");
}

std::string metric_table(const Preflight& check) {
  if (check.metrics.empty()) return {};
  std::string html =
      R"(<div class="scroll" tabindex="0" role="region" aria-label="What was measured"><table>)"
      R"(<thead><tr><th scope="col">Measured</th><th scope="col">Unit</th>)"
      R"(<th scope="col">Among</th><th scope="col" class="n">Values</th>)"
      R"(<th scope="col" class="n">Least</th><th scope="col" class="n">Median</th>)"
      R"(<th scope="col" class="n">Most</th><th scope="col">Worst</th></tr></thead><tbody>)"
      "\n";
  for (const CheckMetric& metric : check.metrics) {
    std::string worst = fmt::format("rank {}", metric.worst_rank);
    if (metric.worst_peer) worst += fmt::format(" with {}", *metric.worst_peer);
    html += fmt::format(
        R"(<tr><th scope="row">{}</th><td>{}</td><td>{}</td><td class="n">{}</td>{}{}{}<td>{}</td></tr>)",
        escape(metric.label), escape(metric.unit), escape(metric.group), metric.count,
        cell(metric.minimum), cell(metric.median), cell(metric.maximum), escape(worst));
    html += '\n';
  }
  return html + "</tbody></table></div>";
}

/// A bar as long as the share of what bounds the figure, with its words beside it.
std::string bound_cell(const DeepCheckFigure& figure) {
  if (figure.bound.empty()) return "<td></td>";
  if (!figure.share) return fmt::format("<td>{}</td>", escape(figure.bound));
  return fmt::format(R"(<td><meter min="0" max="1" value="{:.3f}">{}</meter> {}, {:.0f} %</td>)",
                     std::clamp(*figure.share, 0.0, 1.0), number_text(*figure.share),
                     escape(figure.bound), 100 * *figure.share);
}

std::string deep_table(const Preflight& check) {
  if (check.deep.empty()) return {};
  std::string html =
      R"(<h4>What bounds it</h4><div class="scroll tall" tabindex="0" role="region" aria-label="What bounds it"><table>)"
      R"(<thead><tr><th scope="col">Measured</th><th scope="col">Unit</th>)"
      R"(<th scope="col">Among</th><th scope="col" class="n">Least</th>)"
      R"(<th scope="col" class="n">Median</th><th scope="col" class="n">Most</th>)"
      R"(<th scope="col">Bound</th><th scope="col" class="n">Error by its bound</th>)"
      R"(<th scope="col">Worst</th></tr></thead><tbody>)"
      "\n";
  for (const DeepCheckFigure& figure : check.deep) {
    const bool wrong = figure.error && !(*figure.error <= 1);
    html += fmt::format(
        R"(<tr{}><th scope="row">{}</th><td>{}</td><td>{}</td>{}{}{}{}{}<td>{}</td></tr>)",
        wrong ? R"( class="bad")" : "", escape(figure.label), escape(figure.unit),
        escape(figure.group), cell(figure.minimum), cell(figure.median), cell(figure.maximum),
        bound_cell(figure), cell(figure.error),
        figure.count < 2 ? "" : fmt::format("rank {}", figure.worst_rank));
    html += '\n';
  }
  return html + "</tbody></table></div>";
}

std::string introduction(const Preflight& check) {
  std::string text = fmt::format(
      "{} check of {} on {}",
      check.form == "deep"   ? "Deep"
      : check.form == "full" ? "Full"
                             : "Short",
      count_text(static_cast<std::size_t>(std::max<std::int64_t>(check.ranks, 0)), "rank"),
      count_text(static_cast<std::size_t>(std::max<std::int64_t>(check.nodes, 0)), "node"));
  if (check.seconds) text += " in " + seconds_text(*check.seconds);
  if (check.tolerance)
    text += fmt::format("; an outlier is worse than the median by more than {}",
                        percent_text(*check.tolerance));
  return text + ".";
}

}  // namespace

std::string preflight_section(std::span<const RunFile> files) {
  const std::vector<std::string> names = short_names(files);
  std::string html;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].preflight) continue;
    const Preflight& check = *files[i].preflight;
    if (files.size() > 1) html += fmt::format("<h3>{}</h3>", escape(names[i]));
    html += fmt::format("<p>{}</p>", escape(introduction(check))) + finding_table(check) +
            metric_table(check) + deep_table(check);
  }
  return html.empty()
             ? html
             : "<section class=\"preflight\"><h2>Before the runs</h2>" + html + "</section>\n";
}

}  // namespace hpl::page
