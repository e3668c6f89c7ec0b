#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/text/quantity.h"
#include "hpl/base/text/table.h"
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

/// The cells that say which run is meant.
std::vector<Cell> cells_of(const PredictedRun& run) {
  return {std::to_string(run.nodes),
          fmt::format("{} x {}", run.spec.grid_rows, run.spec.grid_columns),
          std::to_string(run.spec.order)};
}

void add_row(Table& table, const PredictedRun& run, const std::vector<std::string>& figures) {
  std::vector<Cell> cells = cells_of(run);
  cells.insert(cells.end(), figures.begin(), figures.end());
  table.add(std::move(cells));
}

Table result_table(const std::vector<PredictedRun>& runs) {
  Table table{.title = "Predicted runs",
              .columns = columns_of(">nodes|>P x Q|>N|>NB|>seconds|>rate|>E, %|>N1/2|>kWh")};
  for (const PredictedRun& run : runs) {
    const Prediction& p = run.prediction;
    add_row(table, run,
            {std::to_string(run.spec.block_size), short_number(p.seconds), rate_text(p.gflops),
             p.efficiency ? fmt::format("{:.1f}", 100 * *p.efficiency) : "-",
             run.half_order ? std::to_string(*run.half_order) : "-",
             p.energy_joules ? significant(*p.energy_joules / 3.6e6) : "-"});
  }
  return table;
}

Table share_table(const std::vector<PredictedRun>& runs) {
  Table table{.title = "Share of the time, %",
              .columns = columns_of(">nodes|>P x Q|>N|>DGEMM|>panel|>bcast|>swap|>rest|model")};
  for (const PredictedRun& run : runs) {
    const Prediction& p = run.prediction;
    const double rest = p.waiting_seconds + p.exposed[Phase::MatrixLoad] +
                        p.exposed[Phase::MatrixStore] + p.exposed[Phase::BackSubstitution] +
                        p.exposed[Phase::Refinement];
    add_row(table, run,
            {percent(p.busy[Phase::Multiply], p.seconds), percent(panel(p.exposed), p.seconds),
             percent(messages(p.exposed), p.seconds), percent(exchange(p.exposed), p.seconds),
             percent(rest, p.seconds), std::string(to_string(p.model))});
  }
  return table;
}

}  // namespace

std::string prediction_head(const PredictionReport& report) {
  std::string text;
  if (!report.machine.empty())
    text += fmt::format("Predicted for {}, by its {}\n", report.machine,
                        report.origin == "measured" ? "measured rates" : report.origin);
  if (!report.runs.empty() && report.runs.front().spec.mixed)
    text += mode_label(report.runs.front().spec) + "\n";
  return text;
}

std::vector<Table> tables_of(const PredictionReport& report) {
  if (report.runs.empty()) return {};
  return {result_table(report.runs), share_table(report.runs)};
}

std::string prediction_text(const PredictionReport& report) {
  std::string text = prediction_head(report);
  for (bool first = true; const Table& table : tables_of(report)) {
    if (!std::exchange(first, false)) text += fmt::format("\n{}\n", table.title);
    text += text_of(table);
  }
  for (const std::string& remark : texts_of(report.remarks))
    text += fmt::format("\nRemark: {}.\n", remark);
  return text;
}

}  // namespace hpl
