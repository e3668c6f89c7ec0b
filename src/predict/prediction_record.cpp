
#include "hpl/input/run_spec/field_rules.h"
#include "hpl/predict/prediction_report.h"

namespace hpl {

namespace {

constexpr Limits kFinite{.finite = true};

struct PhaseRow {
  std::string phase;
  double busy_seconds = 0, exposed_seconds = 0;
};

void describe(Record& record, PhaseRow& row) {
  record("phase", row.phase);
  record("busy_seconds", row.busy_seconds, {}, kFinite);
  record("exposed_seconds", row.exposed_seconds,
         "with no product of the tail beside it; mean of the ranks", kFinite);
}

std::vector<PhaseRow> rows_of(const Prediction& prediction) {
  std::vector<PhaseRow> rows;
  for (int phase = 0; phase < kPhaseCount; ++phase) {
    const auto one = static_cast<Phase>(phase);
    rows.push_back({std::string(to_string(one)), prediction.busy[one], prediction.exposed[one]});
  }
  return rows;
}

void take_rows(Prediction& prediction, const std::vector<PhaseRow>& rows) {
  for (int phase = 0; phase < kPhaseCount; ++phase)
    for (const PhaseRow& row : rows)
      if (const auto one = static_cast<Phase>(phase); row.phase == to_string(one)) {
        prediction.busy[one] = row.busy_seconds;
        prediction.exposed[one] = row.exposed_seconds;
      }
}

/// "device" or "host".
void describe_place(Record& record, std::string_view name, bool& on_device) {
  record.converted(
      name, [&] { return std::string(on_device ? "device" : "host"); },
      [&](const std::string& word) { on_device = word == "device"; }, one_of("device", "host"));
}

void describe_settings(Record& record, PredictedRun& run) {
  record("order", run.spec.order, {}, kCount);
  record("block_size", run.spec.block_size, {}, kNotZero);
  record("grid_rows", run.spec.grid_rows, {}, kNotZero);
  record("grid_columns", run.spec.grid_columns, {}, kNotZero);
  record("node_rows", run.node_rows, {}, kNotZero);
  record("node_columns", run.node_columns, {}, kNotZero);
  record("depth", run.look_ahead, {}, kCount);
  record("chunk_columns", run.chunk_columns, {}, kNotZero);
  record("broadcast", run.spec.broadcast, kBroadcastVariants);
  record("swap", run.spec.swap, kSwapVariants);
  record("pipeline", run.pipeline);
  describe_place(record, "panel", run.device_panel);
  describe_place(record, "matrix", run.device_matrix);
  record("memory_bytes_per_rank", run.memory_bytes, {}, kNotNegative);
}

}  // namespace

void describe(Record& record, RatePoint& point) {
  record("order", point.order, {}, kNotZero);
  record("gflops", point.gflops, {}, kFinite);
}

void describe(Record& record, PredictedRun& run) {
  record.type("run");
  Prediction& prediction = run.prediction;
  record("model", prediction.model, kModelKinds);
  record("nodes", run.nodes, {}, kNotZero);
  describe_settings(record, run);
  record("mixed", run.spec.mixed, "HPL-MxP; null: HPL", kAddedLater);
  record("seconds", prediction.seconds, {}, kNotNegative);
  record("gflops", prediction.gflops, {}, kNotNegative);
  record("efficiency", prediction.efficiency, "of Rpeak, 1 is all");
  record("half_rate_order", run.half_order, "N1/2");
  record("rate_over_order", run.smaller,
         "The rate with smaller N on the same ranks, by the sampled model; ascending", kAddedLater);
  record("energy_joules", prediction.energy_joules);
  record.converted(
      "phases", [&] { return rows_of(prediction); },
      [&](const std::vector<PhaseRow>& rows) { take_rows(prediction, rows); });
  record("waiting_seconds", prediction.waiting_seconds, "for slower ranks", kFinite);
}

void describe(Record& record, PredictionReport& report) {
  record.document({.title = "Predictions",
                   .description = "Written by xhpl-predict --json.",
                   .kind = "prediction"});
  record("program", report.program);
  record("machine", report.machine);
  record("origin", report.origin);
  record("runs", report.runs);
  record("notes", report.remarks, "on the rates", kAddedLater);
}

}  // namespace hpl
