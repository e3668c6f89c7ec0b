#include <nlohmann/json.hpp>

#include "hpl/machine/host/versions.h"
#include "hpl/report/prediction/prediction_report.h"

namespace hpl {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kPredictionSchemaVersion = 1;

template <class Value>
Json value_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json phases_json(const Prediction& prediction) {
  Json phases = Json::array();
  for (std::size_t phase = 0; phase < kPhaseCount; ++phase)
    phases.push_back({{"phase", to_string(static_cast<Phase>(phase))},
                      {"busy_seconds", prediction.busy.seconds[phase]},
                      {"exposed_seconds", prediction.exposed.seconds[phase]}});
  return phases;
}

Json curve_json(const std::vector<RatePoint>& curve) {
  Json points = Json::array();
  for (const RatePoint& point : curve)
    points.push_back({{"order", point.order}, {"gflops", point.gflops}});
  return points;
}

Json run_json(const PredictedRun& run) {
  const RunSpec& spec = run.decided.spec;
  const Prediction& prediction = run.prediction;
  const DecidedRun& decided = run.decided;
  return {{"scenario", run.scenario},
          {"model", to_string(prediction.model)},
          {"nodes", run.nodes},
          {"order", spec.order},
          {"block_size", spec.block_size},
          {"grid_rows", spec.grid_rows},
          {"grid_columns", spec.grid_columns},
          {"node_rows", decided.settings.tile.rows},
          {"node_columns", decided.settings.tile.columns},
          {"depth", decided.settings.stages.schedule.look_ahead},
          {"chunk_columns",
           widest_chunk(largest_local_shape(decided.spec), decided.settings.stages.schedule)},
          {"broadcast", to_string(spec.broadcast)},
          {"swap", to_string(spec.swap)},
          {"pipeline", to_string(decided.settings.pipeline)},
          {"panel", decided.settings.stages.device_panel ? "device" : "host"},
          {"matrix", in_host_memory(decided) ? "host" : "device"},
          {"memory_bytes_per_rank", decided.settings.memory.total().device},
          {"seconds", prediction.seconds},
          {"gflops", prediction.gflops},
          {"efficiency", value_or_null(prediction.efficiency)},
          {"half_rate_order", value_or_null(run.half_order)},
          {"rate_over_order", curve_json(run.smaller)},
          {"energy_joules", value_or_null(prediction.energy_joules)},
          {"phases", phases_json(prediction)},
          {"waiting_seconds", prediction.waiting_seconds}};
}

Json system_json(const PredictedSystem& system) {
  Json object{{"name", system.name},
              {"accelerator", system.accelerator},
              {"accelerators", system.accelerators},
              {"listed_gflops", 1e3 * system.listed_tflops},
              {"remark", system.remark},
              {"run", nullptr}};
  if (!system.run) return object;
  object["run"] = run_json(*system.run);
  object["least_gflops"] = 1e3 * system.least_tflops;
  object["most_gflops"] = 1e3 * system.most_tflops;
  object["error"] = system.error();
  return object;
}

}  // namespace

std::string prediction_json(const PredictionReport& report) {
  Json runs = Json::array(), systems = Json::array();
  for (const PredictedRun& run : report.runs)
    runs.push_back(run_json(run));
  for (const PredictedSystem& system : report.systems)
    systems.push_back(system_json(system));
  const Json document{
      {"schema_version", kPredictionSchemaVersion},
      {"kind", "prediction"},
      {"program", {{"name", "xhpl-predict"}, {"version", program_version()}}},
      {"machine", report.machine},
      {"origin", report.origin},
      {"runs", std::move(runs)},
      {"systems", std::move(systems)},
      {"median_error",
       report.systems.empty() ? Json(nullptr) : Json(median_error(report.systems))}};
  return document.dump(1) + "\n";
}

}  // namespace hpl
