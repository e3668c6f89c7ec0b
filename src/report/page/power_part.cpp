#include "power_part.h"

#include <algorithm>

#include <fmt/format.h>

#include "chart.h"
#include "format.h"
#include "hpl/base/text/zoned_time.h"

namespace hpl::page {

namespace {

constexpr std::size_t kMostPoints = 600;

/// Means of neighbouring points, so that a trace of hours stays a page.
LineChart::Points shortened(const LineChart::Points& points) {
  const std::size_t group = (points.size() + kMostPoints - 1) / kMostPoints;
  if (group < 2) return points;
  LineChart::Points kept;
  for (std::size_t i = 0; i < points.size(); i += group) {
    const std::size_t end = std::min(points.size(), i + group);
    double x = 0, y = 0;
    for (std::size_t j = i; j < end; ++j) {
      x += points[j].first;
      y += points[j].second;
    }
    const auto count = static_cast<double>(end - i);
    kept.emplace_back(x / count, y / count);
  }
  return kept;
}

std::string trace_chart(const RunPower& power) {
  LineChart chart{.title = "Power over the core phase",
                  .unit = "W",
                  .x_title = "seconds",
                  .summary = {},
                  .x = exact_axis(0, std::max(power.seconds(), 1e-3)),
                  .y = {},
                  .lines = {},
                  .bands = {},
                  .levels = {},
                  .point_names = {}};
  LineChart::Points points;
  if (power.meter) {
    for (const PowerSample& sample : power.meter->trace)
      if (sample.seconds >= 0 && sample.seconds <= power.seconds())
        points.emplace_back(sample.seconds, sample.watts);
    if (points.size() > 1) chart.lines.push_back({"meter", shortened(points)});
  }
  points.clear();
  if (power.components) {
    for (std::size_t i = 0; i < power.components->trace.size(); ++i)
      if (const auto& watts = power.components->trace[i])
        points.emplace_back(std::min(static_cast<double>(i) + 0.5, power.seconds()), *watts);
    if (points.size() > 1) chart.lines.push_back({"components", shortened(points)});
  }
  if (chart.lines.empty()) return {};
  double most = 0;
  for (const LineChart::Line& line : chart.lines)
    for (const auto& [seconds, watts] : line.points)
      most = std::max(most, watts);
  chart.y = round_axis(0, most);
  if (const PowerAverages* const averages = best_averages(power))
    chart.levels.push_back({"average", averages->watts});
  chart.summary =
      fmt::format("Power over {}, up to {} W", seconds_text(power.seconds()), number_text(most));
  return to_html(chart);
}

std::string averages_row(const std::string& name, const PowerAverages& averages, const Run& run) {
  std::string html = fmt::format(
      R"(<tr><th scope="row">{}</th><td class="n">{:.1f}</td><td class="n">{}</td><td class="n">{}</td>)",
      escape(name), averages.watts, energy_text(averages.joules),
      run.gflops && averages.watts > 0 ? fmt::format("{:.4g}", *run.gflops / averages.watts) : "");
  for (int i = 0; i < kPowerAverages; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const bool known = index < averages.tenths.size() && averages.tenths[index];
    html += fmt::format(R"(<td class="n">{}</td>)",
                        known ? fmt::format("{:.1f}", *averages.tenths[index]) : "");
  }
  return html +
         fmt::format(R"(<td class="n">{}</td><td class="n">{:.1f} s</td></tr>)", averages.samples,
                     averages.longest_gap) +
         "\n";
}

std::string averages_table(const RunPower& power, const Run& run) {
  std::string rows;
  if (power.meter && power.meter->averages)
    rows += averages_row("Meter: " + power.meter->source, *power.meter->averages, run);
  if (power.components)
    rows += averages_row("Component power: " + power.components->sensors,
                         power.components->averages, run);
  std::string html =
      R"(<div class="scroll" tabindex="0" role="region" aria-label="Power, averages"><table><thead><tr>)"
      R"(<th scope="col">Source</th><th scope="col" class="n">Average, W</th>)"
      R"(<th scope="col" class="n">Energy</th><th scope="col" class="n">GFLOP/s per W</th>)";
  for (int i = 1; i <= kPowerAverages; ++i)
    html += fmt::format(R"(<th scope="col" class="n">{} / {}</th>)", i, kPowerAverages);
  return html +
         R"(<th scope="col" class="n">Samples</th><th scope="col" class="n">Longest gap</th>)" +
         "</tr></thead><tbody>\n" + rows + "</tbody></table></div>";
}

std::string phase_chart(const RunPower& power) {
  if (!power.components || power.components->phase_joules.empty()) return {};
  double most = power.components->averages.joules / 1e3;
  for (const auto& [phase, joules] : power.components->phase_joules)
    most = std::max(most, joules / 1e3);
  if (!(most > 0)) return {};
  RangeChart chart{.title = "Energy by phase",
                   .unit = "kJ, component power while work of the phase went on; phases overlap",
                   .summary = "Energy of every phase",
                   .x = round_axis(0, most),
                   .bars = true,
                   .rows = {}};
  for (const auto& [phase, joules] : power.components->phase_joules) {
    const double kilojoules = joules / 1e3;
    chart.rows.push_back({.label = phase,
                          .text = fmt::format("{:.4g}", kilojoules),
                          .title = fmt::format("{}: {:.4g} kJ", phase, kilojoules),
                          .low = kilojoules,
                          .middle = kilojoules,
                          .high = kilojoules,
                          .dots = {}});
  }
  return to_html(chart);
}

std::string level_list(const RunPower& power) {
  const auto evidence = power_evidence(power);
  if (!evidence) return {};
  std::string html =
      R"(<div class="scroll" tabindex="0" role="region" aria-label="Level of the measurement"><table class="aspects"><thead><tr>)"
      R"(<th scope="col">Aspect</th><th scope="col">Level</th><th scope="col">Missing for the next</th></tr></thead><tbody>)"
      "\n";
  for (const PowerAspect& aspect : power_aspects(*evidence))
    html += fmt::format(
                R"(<tr><th scope="row">{}</th><td>{}</td><td>{}</td></tr>)", escape(aspect.name),
                aspect.level > 0 ? std::to_string(aspect.level) : "none", escape(aspect.missing)) +
            "\n";
  return html + "</tbody></table></div>";
}

}  // namespace

std::optional<Efficiency> efficiency_of(const Run& run) {
  if (run.gflops && run.power) {
    const RunPower& power = *run.power;
    const PowerAverages* const averages = best_averages(power);
    if (averages != nullptr && averages->watts > 0)
      return Efficiency{*run.gflops / averages->watts,
                        power.meter && power.meter->averages
                            ? "meter: " + power.meter->source
                            : "component power, " + power.components->sensors};
  }
  if (run.gflops_per_watt) return Efficiency{*run.gflops_per_watt, "component power"};
  return std::nullopt;
}

std::string level_text(const Run& run) {
  const auto evidence = run.power ? power_evidence(*run.power) : std::nullopt;
  if (!evidence) return {};
  const int level = power_level(power_aspects(*evidence));
  return level > 0 ? fmt::format("Level {} of 3", level) : "No level";
}

std::string power_part(const Run& run) {
  if (!run.power) return {};
  const RunPower& power = *run.power;
  if (best_averages(power) == nullptr && !power.meter) return {};
  std::string html = "<h3>Power</h3>";
  html += fmt::format(
      R"(<p class="variant">Core phase {} to {}, {:.3f} s. {} of the EE HPC WG's methodology.</p>)",
      iso_time({power.begin, power.utc_offset}), iso_time({power.end, power.utc_offset}),
      power.seconds(), level_text(run).empty() ? "No level" : level_text(run));
  if (power.meter)
    for (const std::string& remark : power.meter->complaints)
      html += fmt::format(R"(<p class="remark">Power meter: {}</p>)", escape(remark));
  if (best_averages(power) == nullptr) return html;
  return html + R"(<div class="charts">)" + trace_chart(power) + phase_chart(power) + "</div>" +
         averages_table(power, run) + level_list(power);
}

}  // namespace hpl::page
