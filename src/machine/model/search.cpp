#include "hpl/machine/model/search.h"

#include <algorithm>
#include <cmath>

#include "hpl/base/error/error.h"
#include "hpl/base/number/bisection.h"
#include "hpl/input/run_spec/field_rules.h"
#include "hpl/machine/decide/run_memory.h"

namespace hpl {

namespace {

const std::vector<std::int64_t>& usual_block_sizes(ProcessorKind kind) {
  static const std::vector<std::int64_t> kCpu{64, 96, 128, 160, 192, 224, 256, 320, 384};
  static const std::vector<std::int64_t> kGpu{256, 384, 512, 768, 1024, 1536, 2048, 3072};
  return kind == ProcessorKind::Cpu ? kCpu : kGpu;
}

}  // namespace

std::int64_t largest_order(const RunSpec& spec, const Rates& rates, double memory_fraction) {
  if (!rates.memory_bytes)
    throw ConfigError("the memory of {} is not known, so that N must be given", rates.machine);
  Facts facts = facts_of(rates);
  std::int64_t& bytes = facts.memory.device.bytes;
  bytes = static_cast<std::int64_t>(memory_fraction * static_cast<double>(bytes));
  const std::int64_t element = spec.mixed ? hpcx::bytes_of(spec.mixed->storage) : 8;
  const double elements = static_cast<double>(bytes) / static_cast<double>(element) *
                          spec.grid_rows * spec.grid_columns;
  RunSpec largest = spec;
  largest.order = static_cast<std::int64_t>(std::min<double>(kLargestOrder, std::sqrt(elements)));
  return largest_order(largest, facts, {}, spec.block_size);
}

std::vector<GridShape> possible_grids(int ranks) {
  constexpr int kFlattest = 16;
  std::vector<GridShape> grids;
  for (int rows = 1; rows <= ranks / rows; ++rows)
    if (ranks % rows == 0) grids.push_back({rows, ranks / rows});
  std::vector<GridShape> square = grids;
  std::erase_if(square, [](const GridShape& grid) { return grid.columns > kFlattest * grid.rows; });
  if (square.empty()) square = {grids.back()};
  return square;
}

namespace {

struct PricedRun {
  DecidedRun run;
  double gflops = -1;  ///< by the sampled model; -1: not affordable, or N = 0
};

/// The fastest of the orders of `space` with this NB and grid.
PricedRun priced(const SearchSpace& space, std::int64_t block_size, GridShape grid,
                 const Rates& rates) {
  RunSpec spec = space.spec;
  spec.block_size = block_size;
  spec.grid_rows = grid.rows;
  spec.grid_columns = grid.columns;
  std::vector<std::int64_t> orders = space.orders;
  if (orders.empty()) orders = {largest_order(spec, rates, space.memory_fraction)};
  PricedRun best;
  for (const std::int64_t order : orders) {
    if (order == 0 && space.orders.empty()) continue;
    spec.order = order;
    DecidedRun candidate = decided_run(spec, rates);
    if (!affordable(ModelKind::Sampled, candidate)) {
      if (best.gflops < 0) best.run = std::move(candidate);
      continue;
    }
    const double gflops = predict(ModelKind::Sampled, candidate, rates).gflops;
    if (gflops > best.gflops) best = {std::move(candidate), gflops};
  }
  return best;
}

/// The grid by the rule, unless another is faster by more than its rates are worth.
PricedRun with_best_grid(const SearchSpace& space, std::int64_t block_size, const Rates& rates) {
  /// The rule was measured; rates of a sheet are estimates.
  constexpr double kWorthAnotherGrid = 1.01;
  /// A prediction for 16,384 ranks takes 0.1 s.
  constexpr std::size_t kMostOfFewer = 12;
  const int nodes = (space.ranks + rates.ranks_per_node - 1) / rates.ranks_per_node;
  std::vector<GridShape> grids = possible_grids(space.ranks);
  const std::vector<GridShape> fewer = grids_of_fewer(space.ranks);
  grids.insert(grids.end(), fewer.begin(),
               fewer.begin() + static_cast<std::ptrdiff_t>(std::min(fewer.size(), kMostOfFewer)));
  const GridShape rule = choose_grid_of_most(space.ranks, rates.kind, nodes);
  const PricedRun by_rule = priced(space, block_size, rule, rates);
  PricedRun best = by_rule;
  for (const GridShape grid : grids) {
    if (grid == rule) continue;
    PricedRun run = priced(space, block_size, grid, rates);
    if (run.gflops > best.gflops) best = std::move(run);
  }
  return best.gflops > kWorthAnotherGrid * by_rule.gflops ? best : by_rule;
}

}  // namespace

DecidedRun best_configuration(const SearchSpace& space, const Rates& rates) {
  std::vector<std::int64_t> block_sizes =
      space.block_sizes.empty() ? usual_block_sizes(rates.kind) : space.block_sizes;
  // Products of 16 bits gain until there.
  constexpr std::int64_t kWidestMixed = 4096;
  if (space.block_sizes.empty() && rates.mixed && rates.kind == ProcessorKind::Gpu)
    block_sizes.push_back(kWidestMixed);
  PricedRun best;
  const auto consider = [&](PricedRun run) {
    if (run.gflops > best.gflops || (best.gflops < 0 && run.run.spec.order > 0))
      best = std::move(run);
  };
  for (const std::int64_t block_size : block_sizes) {
    if (space.grids.empty()) consider(with_best_grid(space, block_size, rates));
    for (const GridShape grid : space.grids)
      consider(priced(space, block_size, grid, rates));
  }
  if (best.gflops < 0) require_affordable(ModelKind::Sampled, best.run);
  if (best.gflops < 0)
    throw ConfigError("the memory of a rank of {}, {:.1f} GB, holds no block of any NB",
                      rates.machine, 1e-9 * rates.memory_bytes.value_or(0));
  return best.run;
}

std::int64_t half_rate_order(const DecidedRun& decided, const Rates& rates, double gflops) {
  DecidedRun smaller = decided;
  const RunSpec& spec = decided.spec;
  const std::int64_t below = largest_multiple(spec.block_size, spec.order, [&](std::int64_t order) {
    smaller.spec.order = order;
    return predict(ModelKind::Sampled, smaller, rates).gflops <= gflops / 2;
  });
  return std::min(spec.order, below + spec.block_size);
}

std::vector<RatePoint> rate_over_order(const DecidedRun& decided, const Rates& rates, int points) {
  const std::int64_t block = decided.spec.block_size;
  DecidedRun smaller = decided;
  std::vector<RatePoint> curve;
  for (int i = 1; i <= points; ++i) {
    const std::int64_t order =
        i == points ? decided.spec.order : decided.spec.order * i / points / block * block;
    if (order == 0 || (!curve.empty() && order == curve.back().order)) continue;
    smaller.spec.order = order;
    curve.push_back({order, predict(ModelKind::Sampled, smaller, rates).gflops});
  }
  return curve;
}

std::int64_t order_within(const DecidedRun& decided, const Rates& rates, double seconds) {
  DecidedRun candidate = decided;
  // Beyond what products alone take.
  const RunSpec& spec = decided.spec;
  const double gflops =
      *std::ranges::max_element(rates.product_gflops.values()) * spec.grid_rows * spec.grid_columns;
  const auto limit =
      std::min(kLargestOrder, static_cast<std::int64_t>(std::cbrt(1.5e9 * gflops * seconds)));
  return std::max(spec.block_size,
                  largest_multiple(spec.block_size, limit, [&](std::int64_t order) {
                    candidate.spec.order = order;
                    return predict(ModelKind::Sampled, candidate, rates).seconds <= seconds;
                  }));
}

namespace {

/// Tasks of all ranks. The simulated model plays some ten million a second.
double tasks_of(const DecidedRun& decided) {
  const RunSpec& spec = decided.spec;
  const double columns =
      static_cast<double>(spec.order) / spec.grid_columns /
      static_cast<double>(
          std::max(spec.block_size, chunk_width(decided.settings.stages.schedule,
                                                spec.order / spec.grid_columns, spec.block_size)));
  return static_cast<double>(step_count(spec)) * (10 + 4 * columns / 2) * spec.grid_rows *
         spec.grid_columns;
}

}  // namespace

bool affordable(ModelKind kind, const DecidedRun& decided) {
  // The schedule of a process column keeps accounts of its block columns.
  constexpr std::int64_t kMostBlockColumns = 100'000;
  constexpr double kMostTasks = 1e9;
  const RunSpec& spec = decided.spec;
  return step_count(spec) / spec.grid_columns <= kMostBlockColumns &&
         (kind != ModelKind::Simulated || tasks_of(decided) <= kMostTasks);
}

void require_affordable(ModelKind kind, const DecidedRun& decided) {
  if (affordable(kind, decided)) return;
  const RunSpec& spec = decided.spec;
  throw ConfigError(
      "the {} model would take too long for N = {} with NB = {} on a {} x {} grid: {} steps; give "
      "a larger NB{}",
      to_string(kind), spec.order, spec.block_size, spec.grid_rows, spec.grid_columns,
      step_count(spec), kind == ModelKind::Simulated ? ", fewer ranks or --model sampled" : "");
}

ModelKind affordable_model(const DecidedRun& decided) {
  constexpr double kMostTasks = 3e7;
  return tasks_of(decided) <= kMostTasks ? ModelKind::Simulated : ModelKind::Sampled;
}

bool affordable_timelines(const DecidedRun& decided) {
  constexpr double kBytes = 2e8;
  constexpr double kSpansOfATask = 2;  // a worker's and its stream's
  return kSpansOfATask * sizeof(Span) * tasks_of(decided) <= kBytes;
}

}  // namespace hpl
