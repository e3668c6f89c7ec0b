#include <algorithm>

#include <fmt/format.h>

#include "hpl/base/number/statistics.h"
#include "hpl/report/page/format.h"
#include "hpl/report/result/device_telemetry.h"
#include "hpl/report/result/expectation.h"
#include "hpl/run/page/run_part.h"

namespace hpl::page {

namespace {

std::string tile(std::string_view name, std::string_view value, std::string_view unit,
                 std::string_view note) {
  return fmt::format(R"(<div class="tile"><dt>{}</dt><dd>{}<small>{}</small></dd>{}</div>)",
                     escape(name), escape(value), escape(unit),
                     note.empty() ? "" : fmt::format("<p>{}</p>", escape(note)));
}

/// A rate, its unit small beside it.
std::string rate_tile(std::string_view name, double gflops, std::string_view note) {
  const RateUnit unit = rate_unit(gflops);
  return tile(name, significant(gflops / unit.gflops, 4), unit.name, note);
}

/// Median and least of the repetitions of a run.
std::string repeat_note(const Group& group) {
  std::vector<double> rates;
  for (const RunResult* run : group.runs)
    if (const auto rate = rate_of(*run)) rates.push_back(*rate);
  if (rates.size() < 2) return {};
  return fmt::format("best of {}; median {}, least {}", rates.size(), rate_text(median(rates)),
                     rate_text(std::ranges::min(rates)));
}

/// GFLOP/s per watt by the meter, else by the sensors inside the devices.
std::string efficiency_tile(const RunResult& run) {
  const auto shown = [](double value, const std::string& of) {
    return tile("Efficiency", fmt::format("{:.4g}", value), "GFLOP/s per W", of);
  };
  const PowerAverages* const averages = run.power ? best_averages(*run.power) : nullptr;
  if (rate_of(run) && averages != nullptr && averages->watts > 0) {
    const auto& meter = run.power->meter;
    return shown(run.gflops / averages->watts,
                 meter && meter->averages ? "meter: " + meter->source
                                          : "component power, " + run.power->components->sensors);
  }
  const auto of_devices = gflops_per_watt(run);
  return of_devices ? shown(*of_devices, "component power") : std::string();
}

/// The interval of a data sheet.
std::string expectation_tile(const RunResult& run) {
  const auto comparison = compare_with_expectation(run);
  if (!comparison || run.expected->sheet.empty()) return {};
  const ExpectedRun& expected = *run.expected;
  const RateUnit unit = rate_unit(expected.gflops);
  return tile("Expected",
              fmt::format("{} to {}", significant(expected.least_gflops() / unit.gflops),
                          significant(expected.most_gflops() / unit.gflops)),
              unit.name,
              fmt::format("data sheet of {}: {}", expected.sheet, to_string(comparison->outcome)));
}

}  // namespace

std::string result_tiles(const Group& group) {
  const RunResult& run = group.best();
  const auto rate = rate_of(run);
  std::string html = R"(<dl class="tiles">)";
  if (rate) html += rate_tile("Rate", *rate, repeat_note(group));
  if (run.stopped)
    html += rate_tile("Projected rate", run.stopped->projected_gflops,
                      fmt::format("a projection: stopped after {} of the operations",
                                  percent_text(run.stopped->fraction)));
  if (run.refinement) {
    html += rate_tile("LU alone", run.refinement->factorization_gflops, "");
    html += tile("Refinement", std::to_string(run.refinement->iterations),
                 run.refinement->iterations == 1 ? "iteration" : "iterations",
                 seconds_text(run.refinement->refinement_seconds));
  }
  html += tile("Time", seconds_text(run.seconds), "", fmt::format("N = {}", run.spec.order));
  if (rate && run.attainable_gflops.value_or(0) > 0) {
    const std::string source =
        run.attainable_rates.empty() ? "" : ", " + to_string(run.attainable_rates.front().source);
    html += tile("Of attainable", fmt::format("{:.1f}", 100 * *rate / *run.attainable_gflops), "%",
                 fmt::format("attainable: {}{}", rate_text(*run.attainable_gflops), source));
  }
  html += expectation_tile(run);
  html += efficiency_tile(run);
  if (run.residual)
    html += tile("Scaled residual", fmt::format("{:.3g}", run.residual->scaled), "",
                 fmt::format("must be below {:g}", run.spec.threshold));
  return html + "</dl>";
}

}  // namespace hpl::page
