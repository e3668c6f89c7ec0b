#include "hpl/machine/model/prediction.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cost_model.h"
#include "hpl/base/error/error.h"
#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/lu/pipeline/stages.h"
#include "hpl/lu/solve/back_substitution.h"

namespace hpl {

std::string_view to_string(ModelKind kind) {
  switch (kind) {
    case ModelKind::Paper:
      return "paper";
    case ModelKind::Sampled:
      return "sampled";
    case ModelKind::Simulated:
      return "simulated";
  }
  return "";
}

Configuration default_configuration(const RunSpec& spec, const Rates& rates) {
  const bool gpu = rates.kind == ProcessorKind::Gpu;
  Configuration configuration{.spec = spec};
  configuration.pipeline = gpu || rates.threads > 1 ? PipelineKind::Fine : PipelineKind::Serial;
  configuration.schedule.look_ahead = std::min(spec.depth, kDeepestLookAhead);
  choose_chunks(configuration.schedule, rates.kind, spec.grid_rows * spec.grid_columns);
  configuration.schedule.host_ahead = host_ahead(configuration.pipeline);
  configuration.device_panel = gpu && rates.device_panel.has_value();
  const GridShape grid{spec.grid_rows, spec.grid_columns};
  const int per_node = std::min(rates.ranks_per_node, grid.rows * grid.columns);
  if (const auto tile = choose_tile(grid, per_node)) {
    configuration.tile = *tile;
  } else if (spec.rank_order == RankOrder::RowMajor) {
    configuration.tile = {1, std::min(per_node, grid.columns)};
  } else {
    configuration.tile = {std::min(per_node, grid.rows), 1};
  }
  return configuration;
}

namespace {

/// Fits a 64-bit number.
constexpr double kLargestMemory = 1e18;

}  // namespace

void place_in_host_memory(Configuration& configuration, const Rates& rates) {
  if (!rates.copies || !rates.memory_bytes)
    throw ConfigError(fmt::format(
        "a matrix in host memory needs the rates of copies between host and device and the size of "
        "the device's memory, and those of {} do not tell",
        rates.machine));
  const auto needs = [configuration, &rates](const VisitPolicy& visits) mutable {
    configuration.schedule.visits = visits;
    return static_cast<std::int64_t>(memory_bytes(configuration, rates));
  };
  configuration.schedule.visits = choose_visits(
      largest_local_shape(configuration.spec),
      {.look_ahead = configuration.schedule.look_ahead,
       .device_bytes = static_cast<std::int64_t>(std::min(kLargestMemory, *rates.memory_bytes)),
       .needs = needs});
}

bool in_host_memory(const Configuration& configuration) {
  return visited_part(largest_local_shape(configuration.spec), configuration.schedule.visits)
             .columns > 0;
}

double memory_bytes(const Configuration& configuration, const Rates& rates) {
  const RunSpec& spec = configuration.spec;
  if (spec.order == 0) return 0;
  const bool shared = rates.kind == ProcessorKind::Cpu;
  const LocalShape shape = largest_local_shape(spec);
  PipelineSettings settings;
  settings.schedule = configuration.schedule;
  settings.device_panel = configuration.device_panel;
  const double libraries =
      shared ? 64e6 : 0.3e9 + (spec.grid_rows * spec.grid_columns > 1 ? 2e9 : 0);
  const VisitedPart visited = visited_part(shape, configuration.schedule.visits);
  return static_cast<double>(DistributedMatrix::bytes(shape, spec, visited).device +
                             Stages::memory(shape, settings, shared).total().device +
                             DistributedSolution::bytes(shape, visited.columns, shared).device) +
         libraries;
}

void require_rates(const Configuration& configuration, const Rates& rates) {
  static_cast<void>(CostModel(configuration, rates));
}

double model_error_seconds(const Configuration& configuration, const Rates& rates,
                           double predicted_seconds) {
  // Runs that were compared lie within 3.5 %. Hosts do not repeat as well as devices.
  const bool by_device = rates.kind == ProcessorKind::Gpu && configuration.device_panel;
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
  throw ConfigError(fmt::format(
      "the rates of {} give no time for N = {} with NB = {} on a {} x {} grid: one of them is too "
      "small or too large",
      rates.machine, spec.order, spec.block_size, spec.grid_rows, spec.grid_columns));
}

}  // namespace

Prediction predict(ModelKind kind, const Configuration& configuration, const Rates& rates,
                   const PaperCoefficients& coefficients) {
  const CostModel costs(configuration, rates);
  Prediction prediction;
  if (configuration.spec.order == 0) {
    prediction.model = kind;
    return prediction;
  }
  switch (kind) {
    case ModelKind::Paper:
      prediction = predict_by_paper(costs, coefficients);
      break;
    case ModelKind::Sampled:
      prediction = predict_by_samples(costs);
      break;
    case ModelKind::Simulated:
      prediction = predict_by_simulation(costs);
      break;
  }
  apply(rates.boost, prediction);
  const RunSpec& spec = configuration.spec;
  const double ranks = static_cast<double>(spec.grid_rows) * spec.grid_columns;
  prediction.model = kind;
  prediction.gflops = benchmark_gflops(spec.order, prediction.seconds);
  if (rates.peak_gflops) prediction.efficiency = prediction.gflops / (ranks * *rates.peak_gflops);
  if (rates.power_watts) prediction.energy_joules = ranks * *rates.power_watts * prediction.seconds;
  require_finite(prediction, spec, rates);
  return prediction;
}

Timelines predicted_timelines(const Configuration& configuration, const Rates& rates) {
  Timelines timelines = simulate_timelines(CostModel(configuration, rates));
  // Of a run that begins with its products: all moves forward as these do.
  for (std::vector<Span>& spans : timelines)
    for (Span& span : spans) {
      span.begin -= rates.boost.saved(span.begin);
      span.end -= rates.boost.saved(span.end);
    }
  return timelines;
}

}  // namespace hpl
