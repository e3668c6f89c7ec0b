#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/number/statistics.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_table.h"
#include "hpl/base/text/text_value.h"
#include "hpl/predict/prediction_report.h"

namespace hpl {

namespace {

/// The phases that are shown apart, with the rest of them.
double exchange(const PhaseTimes& times) {
  return times[Phase::RowSwap] + times[Phase::Solve];
}
double panel(const PhaseTimes& times) {
  return times[Phase::PanelFactorization] + times[Phase::PanelExchange];
}
double messages(const PhaseTimes& times) {
  return times[Phase::PanelBroadcast] + times[Phase::PanelTransfer];
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f}", 100 * part / whole) : "";
}

/// A row of cells that say which run is meant.
std::vector<std::string> row_of(const PredictedRun& run) {
  return {std::to_string(run.nodes),
          fmt::format("{} x {}", run.spec.grid_rows, run.spec.grid_columns),
          std::to_string(run.spec.order)};
}

void append(std::vector<std::string>& row, std::vector<std::string> cells) {
  std::ranges::move(cells, std::back_inserter(row));
}

std::vector<std::string> result_row(const PredictedRun& run) {
  const Prediction& p = run.prediction;
  std::vector<std::string> row = row_of(run);
  append(row, {std::to_string(run.spec.block_size), short_number(p.seconds), rate_text(p.gflops),
               p.efficiency ? fmt::format("{:.1f}", 100 * *p.efficiency) : "-",
               run.half_order ? std::to_string(*run.half_order) : "-",
               p.energy_joules ? significant(*p.energy_joules / 3.6e6) : "-"});
  return row;
}

std::vector<std::string> share_row(const PredictedRun& run) {
  const Prediction& p = run.prediction;
  const double rest = p.waiting_seconds + p.exposed[Phase::MatrixLoad] +
                      p.exposed[Phase::MatrixStore] + p.exposed[Phase::BackSubstitution] +
                      p.exposed[Phase::Refinement];
  std::vector<std::string> row = row_of(run);
  append(row, {percent(p.busy[Phase::Multiply], p.seconds), percent(panel(p.exposed), p.seconds),
               percent(messages(p.exposed), p.seconds), percent(exchange(p.exposed), p.seconds),
               percent(rest, p.seconds), std::string(to_string(p.model))});
  return row;
}

/// A row for each run below `head`, those of a scenario below its name; `last` of the columns that
/// stand to the right.
std::string table_text(const std::vector<PredictedRun>& runs, std::vector<std::string> head,
                       std::vector<std::string> (*row)(const PredictedRun&), std::size_t last) {
  TextTable table;
  table.add(std::move(head));
  for (const PredictedRun& run : runs)
    table.add(row(run));
  const std::string all = table.text(0, last);
  const std::vector<std::string_view> lines = split_lines(all);
  std::string text = fmt::format("{}\n", lines.front()), scenario;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].scenario != scenario) text += fmt::format("With {}:\n", runs[i].scenario);
    scenario = runs[i].scenario;
    text += fmt::format("{}\n", lines[i + 1]);
  }
  return text;
}

std::string runs_text(const PredictionReport& report) {
  return table_text(report.runs,
                    {"nodes", "P x Q", "N", "NB", "seconds", "rate", "E, %", "N1/2", "kWh"},
                    result_row, 8) +
         "\nShare of the time, %\n" +
         table_text(report.runs,
                    {"nodes", "P x Q", "N", "DGEMM", "panel", "bcast", "swap", "rest", "model"},
                    share_row, 7);
}

std::string systems_text(const PredictionReport& report) {
  const std::vector<double> without = median_errors_without_one(report.systems);
  std::string text =
      fmt::format("{:<36} {:<22} {:>6} {:>9} {:>6} {:>11} {:>11} {:>21} {:>8} {:>10}\n", "system",
                  "accelerator", "count", "P x Q", "NB", "listed", "predicted", "interval",
                  "error, %", "without, %");
  for (std::size_t i = 0; i < report.systems.size(); ++i) {
    const PredictedSystem& system = report.systems[i];
    text += fmt::format("{:<36.36} {:<22.22} {:>6} ", system.name, system.accelerator,
                        system.accelerators);
    if (system.run) {
      const RunSpec& spec = system.run->spec;
      text += fmt::format("{:>9} {:>6} {:>11.0f} {:>11.0f} {:>21} {:>8.1f} {:>10.1f}",
                          fmt::format("{} x {}", spec.grid_rows, spec.grid_columns),
                          spec.block_size, system.listed_tflops, system.run->prediction.tflops(),
                          fmt::format("{:.0f} to {:.0f}", system.least_tflops, system.most_tflops),
                          100 * system.error(), 100 * without[i]);
    } else {
      text += fmt::format("{:>9} {:>6} {:>11.0f} {:>11}", "-", "-", system.listed_tflops, "-");
    }
    text += system.remark.empty() ? "\n" : fmt::format("  {}\n", system.remark);
  }
  const auto predicted = std::ranges::count_if(
      report.systems, [](const PredictedSystem& system) { return system.run.has_value(); });
  const auto [least, most] = std::ranges::minmax(without);
  return text + fmt::format(
                    "Rmax in TFLOP/s. {} of {} systems predicted, median error {:.1f} %; {:.1f} "
                    "to {:.1f} % with one of them left out (without).\n",
                    predicted, report.systems.size(), 100 * median_error(report.systems),
                    100 * least, 100 * most);
}

}  // namespace

double median_error(const std::vector<PredictedSystem>& systems) {
  std::vector<double> errors;
  for (const PredictedSystem& system : systems)
    if (system.run) errors.push_back(std::abs(system.error()));
  return median(std::move(errors));
}

std::vector<double> median_errors_without_one(const std::vector<PredictedSystem>& systems) {
  std::vector<double> medians;
  for (std::size_t left_out = 0; left_out < systems.size(); ++left_out) {
    std::vector<PredictedSystem> others = systems;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    medians.push_back(median_error(others));
  }
  return medians;
}

std::string prediction_text(const PredictionReport& report) {
  std::string text;
  if (!report.machine.empty())
    text += fmt::format("Predicted for {}, by its {}\n", report.machine,
                        report.origin == "measured" ? "measured rates" : report.origin);
  if (!report.runs.empty() && report.runs.front().spec.mixed)
    text += mode_label(report.runs.front().spec) + "\n";
  if (!report.runs.empty()) text += runs_text(report);
  if (!report.systems.empty()) text += systems_text(report);
  return text;
}

}  // namespace hpl
