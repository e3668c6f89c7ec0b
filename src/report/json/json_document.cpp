#include <ctime>
#include <map>

#include <nlohmann/json.hpp>

#include "checksum_json.h"
#include "hpl/base/file/json_journal.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/report/json/json_report.h"
#include "hpl/report/result/device_telemetry.h"
#include "hpl/report/result/device_telemetry_json.h"
#include "hpl/report/result/expectation.h"
#include "hpl/report/result/json_values.h"
#include "hpl/report/result/phase_statistics.h"
#include "hpl/report/result/run_failures.h"
#include "hpl/report/result/run_power_json.h"
#include "preflight_json.h"
#include "spec_json.h"

namespace hpl {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json names_of(const std::vector<T>& values) {
  Json names = Json::array();
  for (const T value : values)
    names.push_back(to_string(value));
  return names;
}

Json pairs(const NamedValues& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values)
    object[name] = value;
  return object;
}

Json time_or_null(std::time_t time) {
  const std::string text = utc_time(time);
  return text.empty() ? Json(nullptr) : Json(text);
}

Json configuration_object(const ParameterBlock& block) {
  Json grids = Json::array();
  for (std::size_t i = 0; i < block.grid_rows.size() && i < block.grid_columns.size(); ++i) {
    grids.push_back({{"rows", block.grid_rows[i]}, {"columns", block.grid_columns[i]}});
  }
  return {{"orders", block.orders},
          {"block_sizes", block.block_sizes},
          {"rank_order", to_string(block.rank_order)},
          {"grids", std::move(grids)},
          {"panel_variants", names_of(block.panel_variants)},
          {"recursion_stops", block.recursion_stops},
          {"recursion_divisors", block.recursion_divisors},
          {"recursive_variants", names_of(block.recursive_variants)},
          {"broadcasts", names_of(block.broadcasts)},
          {"depths", block.depths},
          {"swap", to_string(block.swap)},
          {"swap_threshold", block.swap_threshold},
          {"transposed_l1", block.transposed_l1},
          {"transposed_u", block.transposed_u},
          {"equilibrate", block.equilibrate},
          {"alignment", block.alignment},
          {"threshold", number_or_null(block.threshold)}};
}

Json sample_object(const SampledRows& samples) {
  const bool wrong = samples.wrong > 0;
  const auto of_wrong = [&](double value) { return wrong ? number_or_null(value) : Json(nullptr); };
  return {{"rows", samples.rows},
          {"wrong", samples.wrong},
          {"first_row", wrong ? Json(samples.first_row) : Json(nullptr)},
          {"residual", of_wrong(samples.residual)},
          {"own", of_wrong(samples.own)},
          {"tolerance", of_wrong(samples.tolerance)}};
}

Json residual_object(const std::optional<Residual>& residual) {
  if (!residual) return nullptr;
  return {{"scaled", number_or_null(residual->scaled)},
          {"residual_infinity", number_or_null(residual->residual_infinity)},
          {"matrix_infinity", number_or_null(residual->matrix_infinity)},
          {"matrix_one", number_or_null(residual->matrix_one)},
          {"solution_infinity", number_or_null(residual->solution_infinity)},
          {"solution_one", number_or_null(residual->solution_one)},
          {"right_side_infinity", number_or_null(residual->right_side_infinity)},
          {"passed", residual_passed(*residual)},
          {"sampled", sample_object(residual->samples)}};
}

Json phase_array(const RunResult& run) {
  Json array = Json::array();
  for (std::size_t phase = 0; phase < run.phases.size(); ++phase) {
    const PhaseRange& spread = run.phases[phase];
    Json rank_seconds = Json::array();
    for (const PhaseTimes& times : run.rank_phases)
      rank_seconds.push_back(number_or_null(times.seconds[phase]));
    array.push_back({{"phase", to_string(static_cast<Phase>(phase))},
                     {"maximum_seconds", number_or_null(spread.maximum)},
                     {"maximum_rank", spread.maximum_rank},
                     {"minimum_seconds", number_or_null(spread.minimum)},
                     {"minimum_rank", spread.minimum_rank},
                     {"rank_seconds", std::move(rank_seconds)}});
  }
  return array;
}

Json step_array(const std::vector<StepRecord>& steps) {
  Json array = Json::array();
  for (const StepRecord& record : steps) {
    array.push_back({{"step", record.step},
                     {"columns_done", record.columns_done},
                     {"seconds", number_or_null(record.seconds)}});
  }
  return array;
}

Json device_array(const std::vector<DeviceTelemetry>& devices) {
  Json array = Json::array();
  for (const DeviceTelemetry& device : devices)
    array.push_back(device_object(device));
  return array;
}

Json host_share_object(const std::optional<HostWork>& work) {
  if (!work) return nullptr;
  return {{"first", number_or_null(work->first_share)},
          {"share", number_or_null(work->share())},
          {"last", number_or_null(work->last_share)},
          {"gflops", number_or_null(work->gflops())},
          {"seconds", number_or_null(work->seconds)},
          {"imbalance", number_or_null(work->imbalance())},
          {"given_up", work->given_up}};
}

Json transport_object(const TransportUse& use) {
  return {
      {"ranks", use.ranks},
      {"name", use.name},
      {"gigabytes_per_second", use.bandwidth > 0 ? number_or_null(use.bandwidth) : Json(nullptr)}};
}

Json rate_array(const std::vector<double>& rates) {
  Json array = Json::array();
  for (const double rate : rates)
    array.push_back(number_or_null(rate));
  return array;
}

Json seen_rate_array(const std::vector<SeenRate>& rates) {
  Json array = Json::array();
  for (const SeenRate& seen : rates)
    array.push_back({{"source", seen.source}, {"gflops", number_or_null(seen.gflops)}});
  return array;
}

Json stop_object(const std::optional<EarlyStop>& stop) {
  if (!stop) return nullptr;
  return {{"columns_done", stop->columns_done},
          {"fraction", stop->fraction},
          {"gflops", number_or_null(stop->gflops)},
          {"projected_seconds", number_or_null(stop->projected_seconds)},
          {"projected_gflops", number_or_null(stop->projected_gflops)}};
}

Json gate_array(const std::vector<GateResult>& gates) {
  Json array = Json::array();
  for (const GateResult& gate : gates)
    array.push_back({{"gate", gate.gate},
                     {"limit", gate.limit},
                     {"worst", gate.worst ? number_or_null(*gate.worst) : Json(nullptr)},
                     {"held", gate.held},
                     {"reason", gate.reason}});
  return array;
}

/// Minimum, median and maximum of every run that was repeated.
Json repetition_array(const std::vector<RunResult>& runs) {
  std::map<int, std::vector<double>> by_run;
  for (const RunResult& run : runs)
    if (!run.stopped) by_run[run.run_index].push_back(run.gflops);
  Json array = Json::array();
  for (const auto& [index, rates] : by_run) {
    if (rates.size() < 2) continue;
    const RepeatSummary summary = summarize_rates(rates);
    array.push_back({{"run_index", index},
                     {"count", summary.count},
                     {"minimum_gflops", number_or_null(summary.minimum)},
                     {"median_gflops", number_or_null(summary.median)},
                     {"maximum_gflops", number_or_null(summary.maximum)}});
  }
  return array;
}

Json rank_array(const std::vector<PhaseTimes>& ranks, Phase phase) {
  Json array = Json::array();
  for (const PhaseTimes& times : ranks)
    array.push_back(number_or_null(times[phase]));
  return array;
}

Json expected_object(const RunResult& run) {
  const std::optional<Comparison> comparison = compare_with_expectation(run);
  if (!comparison) return nullptr;
  Json phases = Json::array();
  for (const PhaseComparison& phase : comparison->phases)
    phases.push_back({{"phase", to_string(phase.phase)},
                      {"rank", phase.rank},
                      {"expected_seconds", number_or_null(phase.expected_seconds)},
                      {"seconds", number_or_null(phase.seconds)},
                      {"ranks_beyond", phase.ranks_beyond},
                      {"expected_rank_seconds", rank_array(run.expected->rank_phases, phase.phase)},
                      {"rank_seconds", rank_array(run.rank_working, phase.phase)}});
  return {{"model", run.expected->model},
          {"rates", run.expected->rates},
          {"seconds", number_or_null(run.expected->seconds)},
          {"gflops", run.expected->gflops > 0 ? number_or_null(run.expected->gflops) : nullptr},
          {"error_seconds", number_or_null(run.expected->error_seconds)},
          {"outcome", to_string(comparison->outcome)},
          {"phases", std::move(phases)},
          {"findings", expectation_findings(run)}};
}

Json run_object(const RunResult& run) {
  const RunStatus status = run_status(run);
  const bool has_attainable = run.attainable_gflops && *run.attainable_gflops > 0;
  return {
      {"run_index", run.run_index},
      {"repeat_index", run.repeat_index},
      {"status", to_string(status)},
      {"passed", status == RunStatus::Passed || status == RunStatus::Failed
                     ? Json(status == RunStatus::Passed)
                     : Json(nullptr)},
      {"failures", run_failures(run)},
      {"spec", spec_object(run.spec)},
      {"description", describe_variant(run.spec)},
      {"started", time_or_null(run.started)},
      {"ended", time_or_null(run.ended)},
      {"seconds", number_or_null(run.seconds)},
      {"gflops", run.stopped ? Json(nullptr) : number_or_null(run.gflops)},
      {"stopped", stop_object(run.stopped)},
      {"ceiling_gflops", has_attainable ? number_or_null(*run.attainable_gflops) : Json(nullptr)},
      {"ceiling_share", has_attainable && !run.stopped
                            ? number_or_null(run.gflops / *run.attainable_gflops)
                            : Json(nullptr)},
      {"ceiling_rates", seen_rate_array(run.attainable_rates)},
      {"rank_ceilings_gflops", run.rank_attainable_gflops},
      {"rpeak_gflops", run.peak ? number_or_null(run.peak->gflops) : Json(nullptr)},
      {"rpeak_source", run.peak ? Json(run.peak->source) : Json(nullptr)},
      {"efficiency_of_peak", value_or_null(efficiency_of_peak(run))},
      {"row_weights", run.spec.row_weights},
      {"column_weights", run.spec.column_weights},
      {"transports",
       {{"row", transport_object(run.transports[0])},
        {"column", transport_object(run.transports[1])}}},
      {"bytes",
       {{"host_to_device", run.traffic.host_to_device},
        {"device_to_host", run.traffic.device_to_host},
        {"peer", run.traffic.peer},
        {"mpi", run.traffic.mpi}}},
      {"host_share", host_share_object(run.host_work)},
      {"zero_pivot_column", value_or_null(run.zero_pivot_column)},
      {"residual", residual_object(run.residual)},
      {"solution_hash", run.solution_hash ? Json(hash_text(*run.solution_hash)) : Json(nullptr)},
      {"solution_differs_from",
       run.differs_from ? Json(hash_text(*run.differs_from)) : Json(nullptr)},
      {"phases", phase_array(run)},
      {"steps", step_array(run.steps)},
      {"rank_gflops", rate_array(run.rank_gflops)},
      {"checksums", checksum_object(run.checksums)},
      {"devices", device_array(run.devices)},
      {"device_findings", device_findings(run.devices)},
      {"gflops_per_watt", value_or_null(gflops_per_watt(run))},
      {"power",
       run_power_object(run.power, run.stopped ? std::nullopt : std::optional(run.gflops))},
      {"expected", expected_object(run)},
      {"remarks", run.remarks}};
}

}  // namespace

std::string to_journal_line(const RunResult& run, std::size_t index) {
  const Json line = {
      {"journal_version", kJournalVersion}, {"index", index}, {"run", run_object(run)}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_json(const JobReport& job) {
  Json plan = Json::array();
  for (const RunSpec& spec : job.plan)
    plan.push_back(spec_object(spec));
  Json runs = Json::array();
  for (const RunResult& run : job.runs)
    runs.push_back(run_object(run));

  const Json document = {
      {"schema_version", kReportSchemaVersion},
      {"program", {{"name", job.header.program.name}, {"version", job.header.program.version}}},
      {"configuration", configuration_object(job.header.parameters)},
      {"environment", pairs(job.header.environment)},
      {"remarks", job.header.remarks},
      {"reproducible", job.header.reproducible},
      {"preflight", job.preflight ? preflight_object(*job.preflight) : Json(nullptr)},
      {"plan", std::move(plan)},
      {"runs", std::move(runs)},
      {"tally",
       {{"passed", job.tally.passed},
        {"failed", job.tally.failed},
        {"unchecked", job.tally.unchecked},
        {"skipped", job.tally.skipped},
        {"stopped", job.tally.stopped}}},
      {"repetitions", repetition_array(job.runs)},
      {"gates", gate_array(job.gates)},
      {"exit_code", job.exit_code ? Json(static_cast<int>(*job.exit_code)) : Json(nullptr)},
      {"error", value_or_null(job.error)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hpl
