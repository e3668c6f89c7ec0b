#include "hpl/machine/model/prediction.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cost_model.h"
#include "hpcx/device.h"
#include "hpl/base/error/error.h"
#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/machine/decide/balance.h"

namespace hpl {

Facts facts_of(const Rates& rates) {
  /// Fits a 64-bit number.
  constexpr double kLargestMemory = 1e18;
  const bool gpu = rates.kind == ProcessorKind::Gpu;
  const double bytes = std::min(kLargestMemory, rates.memory_bytes.value_or(kLargestMemory));
  return {.kind = rates.kind,
          .device = rates.machine,
          .shares_host_memory = !gpu,
          .factorizes_panels = gpu && rates.device_panel.has_value(),
          .multiprocessors = rates.multiprocessors,
          .stream_bytes = gpu ? hpcx::kUsualStreamBytes : 0,
          .threads = rates.threads,
          .cores = rates.threads,
          .ranks_per_node = rates.ranks_per_node,
          .memory = {.device = {static_cast<std::int64_t>(bytes),
                                fmt::format("a rank of {}", rates.machine)},
                     .host = {static_cast<std::int64_t>(kLargestMemory), "not known"}}};
}

DecidedRun decided_run(const RunSpec& spec, const Rates& rates, const Facts& facts,
                       const Wishes& wishes) {
  DecidedRun decided{spec, decide(spec, facts, wishes)};
  // The chips of a data sheet are all alike, and so are those of more ranks than were measured.
  if (decided.settings.balance == BalanceRequest::Rates &&
      std::ssize(rates.rank_speeds) == spec.grid_rows * spec.grid_columns)
    distribute_by_rates(decided.spec, rates.rank_speeds);
  return decided;
}

DecidedRun decided_run(const RunSpec& spec, const Rates& rates, const Wishes& wishes) {
  return decided_run(spec, rates, facts_of(rates), wishes);
}

bool in_host_memory(const DecidedRun& decided) {
  return visited_part(largest_local_shape(decided.spec), decided.settings.stages.schedule.visits)
             .columns > 0;
}

void require_rates(const DecidedRun& decided, const Rates& rates) {
  static_cast<void>(CostModel(decided, rates));
}

double model_error_seconds(const DecidedRun& decided, const Rates& rates,
                           double predicted_seconds) {
  // Runs that were compared lie within 3.5 %. Hosts do not repeat as well as devices.
  // Nobody has compared HPL-MxP with runs on devices; its settings name no panel on the device.
  const bool by_device = rates.kind == ProcessorKind::Gpu && decided.settings.stages.device_panel;
  const double share = by_device ? 0.04 : 0.10;
  // Short runs are as long as what the host adds.
  constexpr double kHostSeconds = 0.01;
  return share * predicted_seconds + kHostSeconds;
}

namespace {

/// The products at the beginning of a run are faster, since there is none before it.
void apply(const Boost& boost, Prediction& prediction) {
  const double seconds = boost.saved(prediction.busy[Phase::Multiply]);
  for (PhaseTimes* times : {&prediction.busy, &prediction.exposed})
    (*times)[Phase::Multiply] -= seconds;
  prediction.seconds -= seconds;
  for (PhaseTimes& busy : prediction.rank_busy)
    busy[Phase::Multiply] -= boost.saved(busy[Phase::Multiply]);
}

/// Rates may be too small or too large to reckon with, although each is a number above 0.
void require_finite(const Prediction& prediction, const RunSpec& spec, const Rates& rates) {
  const bool finite = std::isfinite(prediction.seconds) && std::isfinite(prediction.gflops) &&
                      std::isfinite(prediction.efficiency.value_or(0)) &&
                      std::isfinite(prediction.energy_joules.value_or(0));
  if (finite && prediction.seconds > 0) return;
  throw ConfigError(
      "the rates of {} give no time for N = {} with NB = {} on a {} x {} grid: one of them is too "
      "small or too large",
      rates.machine, spec.order, spec.block_size, spec.grid_rows, spec.grid_columns);
}

}  // namespace

Prediction predict(ModelKind kind, const DecidedRun& decided, const Rates& rates) {
  const CostModel costs(decided, rates);
  Prediction prediction;
  if (decided.spec.order == 0) {
    prediction.model = kind;
    return prediction;
  }
  switch (kind) {
    case ModelKind::Sampled:
      prediction = predict_by_samples(costs);
      break;
    case ModelKind::Simulated:
      prediction = predict_by_simulation(costs);
      break;
  }
  apply(rates.boost, prediction);
  const RunSpec& spec = decided.spec;
  const double ranks = static_cast<double>(spec.grid_rows) * spec.grid_columns;
  prediction.model = kind;
  prediction.gflops = benchmark_gflops(spec.order, prediction.seconds);
  if (rates.peak_gflops) prediction.efficiency = prediction.gflops / (ranks * *rates.peak_gflops);
  if (rates.power_watts) prediction.energy_joules = ranks * *rates.power_watts * prediction.seconds;
  require_finite(prediction, spec, rates);
  return prediction;
}

Timelines predicted_timelines(const DecidedRun& decided, const Rates& rates) {
  Timelines timelines = simulate_timelines(CostModel(decided, rates));
  // Of a run that begins with its products: all moves forward as these do.
  for (std::vector<Span>& spans : timelines)
    for (Span& span : spans) {
      span.begin -= rates.boost.saved(span.begin);
      span.end -= rates.boost.saved(span.end);
    }
  return timelines;
}

}  // namespace hpl
