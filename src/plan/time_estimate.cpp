#include "hpl/plan/time_estimate.h"

#include <fmt/format.h>

#include <utility>

#include "hpl/base/error/error.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_value.h"
#include "hpl/job/ranks/agreement.h"
#include "hpl/machine/host/sizing.h"
#include "hpl/machine/host/topology.h"
#include "hpl/machine/model/search.h"

namespace hpl {

namespace {

/// Phases whose tasks wait behind products for as long as these last.
std::vector<Phase> hidden_phases(const DecidedRun& decided, const Rates& rates) {
  const RunSpec& spec = decided.spec;
  // In narrow pieces, each behind the blocks of a product under way.
  if (in_host_memory(decided)) return {Phase::RowSwap, Phase::Solve};
  // Beside the product of the next panel's columns, which goes first.
  if (spec.grid_rows == 1 &&
      fetcher_updates(spec, decided.settings.stages.schedule, decided.settings.stages.device_panel))
    return {Phase::RowSwap};
  // The cores go on with products while a rank waits for the others' rows.
  if (rates.kind == ProcessorKind::Cpu && spec.grid_rows > 1) return {Phase::RowSwap};
  return {};
}

}  // namespace

ExpectedRun expected_run(const RunSpec& spec, const RunSettings& settings, const Rates& rates,
                         const std::string& file) {
  const DecidedRun decided{spec, settings};
  Prediction prediction = predict(affordable_model(decided), decided, rates);
  ExpectedRun expected{.model = std::string(to_string(prediction.model)),
                       .rates = file,
                       .seconds = prediction.seconds,
                       .gflops = prediction.gflops,
                       .error_seconds = model_error_seconds(decided, rates, prediction.seconds),
                       .rank_phases = std::move(prediction.rank_busy),
                       .hidden = hidden_phases(decided, rates)};
  // The rate of a run that is stopped early is no result.
  if (settings.stages.schedule.step_limit > 0) expected.gflops = 0;
  if (expected.rank_phases.empty()) expected.rank_phases = {prediction.busy};
  return expected;
}

Timelines expected_timelines(const RunSpec& spec, const RunSettings& settings, const Rates& rates) {
  const DecidedRun decided{spec, settings};
  if (!affordable_timelines(decided)) return {};
  return predicted_timelines(decided, rates);
}

double TimeEstimate::seconds(const RunSpec& spec, const RunSettings& settings) const {
  if (rates == nullptr) return estimated_seconds(spec.order, kUsualEfficiency * attainable_gflops);
  if (spec.order == 0) return 0;
  const DecidedRun decided{spec, settings};
  return predict(affordable_model(decided), decided, *rates).seconds;
}

std::int64_t TimeEstimate::order_within(const RunSpec& spec, const RunSettings& settings,
                                        double seconds) const {
  if (rates == nullptr)
    return order_for_seconds(kUsualEfficiency * attainable_gflops, seconds, spec.block_size);
  return hpl::order_within({spec, settings}, *rates, seconds);
}

std::string TimeEstimate::basis() const {
  if (rates != nullptr) return "by the performance model and the rates of --rates";
  return fmt::format("at {:.0f} % of the attainable rate of {}", 100 * kUsualEfficiency,
                     rate_text(attainable_gflops));
}

void require_same_machine(const std::string& file, const Rates& rates,
                          const MeasuredMachine& machine) {
  const bool measured = rates.origin == "measured";
  if (rates.kind != machine.kind || (measured && rates.machine != machine.processor))
    throw ConfigError(
        "--rates {}: must be of this machine, {}, found those of {}; xhpl rates writes them",
        shown_text(file), machine.processor, shown_text(rates.machine));
  // On a device the products are the device's.
  if (measured && machine.kind == ProcessorKind::Cpu && rates.threads != machine.threads)
    throw ConfigError(
        "--rates {}: must be of ranks with {} as this job has them, found {}; measure with as many "
        "ranks on a node and the same threads",
        shown_text(file), count_text(machine.threads, "compute thread"), rates.threads);
}

void require_rates_of_runs(const std::string& file, const Rates& rates,
                           const std::vector<RunSpec>& runs,
                           const std::vector<RunSettings>& settings) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].order == 0) continue;
    try {
      require_rates({runs[i], settings[i]}, rates);
    } catch (const ConfigError& error) {
      throw ConfigError(
          "--rates {}: run {}: {}; measure with the ranks, the grid and the panels of the runs",
          shown_text(file), i + 1, error.what());
    }
  }
}

std::optional<Rates> rates_of_job(const mpi::Communicator& world, const Options& options,
                                  const Machine& machine) {
  if (!options.rates.input) return std::nullopt;
  const std::string file = options.rates.input->string();
  const std::string text =
      world.broadcast(on_rank_0(world, [&] { return read_json_text(file); }), 0);
  Rates rates = parse_rates(file, text);
  const bool gpu = machine.kind() == ProcessorKind::Gpu;
  // Ranks may have different processors; those of rank 0 speak for all.
  require_same_machine(
      file, rates,
      {.kind = machine.kind(),
       .processor = world.broadcast(gpu ? machine.device().properties().name : cpu_model(), 0),
       .threads = world.broadcast_value(machine.host().properties().compute_units, 0)});
  return rates;
}

}  // namespace hpl
