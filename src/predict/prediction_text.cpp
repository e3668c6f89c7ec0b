#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

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

/// A row for each run below `head`; `last` of the columns that stand to the right.
std::string table_text(const std::vector<PredictedRun>& runs, std::vector<std::string> head,
                       std::vector<std::string> (*row)(const PredictedRun&), std::size_t last) {
  TextTable table;
  table.add(std::move(head));
  for (const PredictedRun& run : runs)
    table.add(row(run));
  return table.text(0, last);
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

}  // namespace

std::string prediction_text(const PredictionReport& report) {
  std::string text;
  if (!report.machine.empty())
    text += fmt::format("Predicted for {}, by its {}\n", report.machine,
                        report.origin == "measured" ? "measured rates" : report.origin);
  if (!report.runs.empty() && report.runs.front().spec.mixed)
    text += mode_label(report.runs.front().spec) + "\n";
  if (!report.runs.empty()) text += runs_text(report);
  for (const std::string& remark : texts_of(report.remarks))
    text += fmt::format("\nRemark: {}.\n", remark);
  return text;
}

}  // namespace hpl
