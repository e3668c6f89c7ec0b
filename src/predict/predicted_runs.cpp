#include "predicted_runs.h"

#include <algorithm>

#include "hpl/base/error/error.h"
#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/input/plan/plan.h"
#include "hpl/lu/grid/grid_shape.h"
#include "hpl/machine/decide/decide.h"
#include "hpl/machine/decide/run_memory.h"
#include "hpl/machine/model/search.h"

namespace hpl {

namespace {

constexpr double kMemoryFraction = 0.9;
/// More than any machine has.
constexpr std::int64_t kMostRanks = 10'000'000;

/// "what 65536 x 65536" with its product in 64 bits.
int require_ranks(std::string_view what, std::int64_t one, std::int64_t other) {
  if (one > kMostRanks / other)
    throw ConfigError("{} must be at most {} ranks, found {} x {}", what, kMostRanks, one, other);
  return static_cast<int>(one * other);
}

/// Of the rate over N, in the document.
constexpr int kCurvePoints = 24;

/// The record of a prediction.
PredictedRun predicted_run(const DecidedRun& decided, Prediction prediction) {
  const RunSettings& settings = decided.settings;
  const SchedulePolicy& schedule = settings.stages.schedule;
  return {.spec = decided.spec,
          .node_rows = settings.tile.rows,
          .node_columns = settings.tile.columns,
          .look_ahead = schedule.look_ahead,
          .chunk_columns = widest_chunk(largest_local_shape(decided.spec), schedule),
          .pipeline = std::string(to_string(settings.pipeline)),
          .device_panel = settings.stages.device_panel || decided.spec.mixed,
          .device_matrix = !in_host_memory(decided),
          .memory_bytes = static_cast<double>(settings.memory.total().device),
          .prediction = std::move(prediction)};
}

class RunList {
 public:
  RunList(const PredictOptions& options, const Rates& rates, PredictionReport& report)
      : options_(options), rates_(rates), report_(report) {}

  void add_dat(const std::vector<RunSpec>& specs) {
    for (const RunSpec& spec : specs)
      add(configured(of_benchmark(spec)));
  }

  /// Adds the runs of the flags, for `ranks` ranks.
  void add_ranks(int ranks) {
    for (const RunSpec& spec : variants()) {
      SearchSpace space{.orders = options_.orders,
                        .block_sizes = options_.block_sizes,
                        .grids = grids(ranks),
                        .ranks = ranks,
                        .memory_fraction = options_.mem_fraction.value_or(kMemoryFraction),
                        .spec = spec};
      // Whatever is given as a list is shown, what is left open is chosen.
      for (const auto& orders : each_or_all(space.orders))
        for (const auto& block_sizes : each_or_all(space.block_sizes))
          for (const auto& grid : each_or_all(space.grids)) {
            SearchSpace one = space;
            one.orders = orders;
            one.block_sizes = block_sizes;
            one.grids = grid;
            add(configured(best_configuration(one, rates_).spec));
          }
    }
  }

 private:
  /// The run of HPL, or one of HPL-MxP as the rates are for it.
  RunSpec of_benchmark(const RunSpec& spec) const {
    if (!options_.mixed) return spec;
    return make_mixed(spec, rates_.mixed ? rates_.mixed->spec : MixedSpec());
  }

  template <class Value>
  static std::vector<std::vector<Value>> each_or_all(const std::vector<Value>& values) {
    if (values.empty()) return {{}};
    std::vector<std::vector<Value>> lists;
    for (const Value& value : values)
      lists.push_back({value});
    return lists;
  }

  std::vector<RunSpec> variants() const {
    std::vector<RunSpec> specs;
    const std::vector<int> depths = options_.depths.empty() ? std::vector{1} : options_.depths;
    const std::vector<BroadcastVariant> broadcasts =
        options_.broadcasts.empty() ? std::vector{RunSpec{}.broadcast} : options_.broadcasts;
    for (const int depth : depths)
      for (const BroadcastVariant broadcast : broadcasts) {
        RunSpec spec;
        spec.depth = depth;
        spec.broadcast = broadcast;
        if (options_.swap) spec.swap = *options_.swap;
        specs.push_back(of_benchmark(spec));
      }
    return specs;
  }

  /// P and Q as given; one of the two alone goes with all ranks.
  std::vector<GridShape> grids(int ranks) const {
    std::vector<GridShape> shapes;
    const auto& p = options_.grid_rows;
    const auto& q = options_.grid_columns;
    if (!p.empty() && !q.empty() && p.size() != q.size() && p.size() != 1 && q.size() != 1)
      throw ConfigError(
          "-P and -Q must have as many values, or one of them a single value, found {} and {}",
          p.size(), q.size());
    for (std::size_t i = 0; i < std::max(p.size(), q.size()); ++i) {
      const int rows = p.empty() ? 0 : p[std::min(i, p.size() - 1)];
      const int columns = q.empty() ? 0 : q[std::min(i, q.size() - 1)];
      const int given = rows > 0 && columns > 0 ? 0 : std::max(rows, columns);
      if (given > 0 && ranks % given != 0)
        throw ConfigError("{} {} does not divide the {} ranks; give P and Q",
                          rows > 0 ? "-P" : "-Q", given, ranks);
      shapes.push_back({rows > 0 ? rows : ranks / given, columns > 0 ? columns : ranks / given});
      require_ranks("P x Q", shapes.back().rows, shapes.back().columns);
    }
    return shapes;
  }

  /// The memory that a matrix may lie in.
  MatrixRequest matrix() const {
    if (options_.matrix == MatrixRequest::Auto && !rates_.copies) return MatrixRequest::Device;
    if (options_.matrix == MatrixRequest::Host && (!rates_.copies || !rates_.memory_bytes))
      throw ConfigError(
          "a matrix in host memory needs the rates of copies between host and device and the size "
          "of the device's memory; those of {} lack them",
          rates_.machine);
    return options_.matrix;
  }

  DecidedRun configured(const RunSpec& spec) const {
    require_ranks("P x Q", spec.grid_rows, spec.grid_columns);
    Facts facts = facts_of(rates_);
    facts.tile = {options_.node_rows, options_.node_columns};
    // The model reports rates of the panel that lack.
    facts.factorizes_panels |= options_.panel == PanelRequest::Device;
    Wishes wishes{.panel = options_.panel, .pipeline = options_.pipeline, .matrix = matrix()};
    if (options_.chunk) wishes.chunk = std::max<std::int64_t>(1, *options_.chunk);
    DecidedRun decided = decided_run(spec, rates_, facts, wishes);
    if (spec.grid_rows % std::max(1, options_.node_rows) != 0 ||
        spec.grid_columns % std::max(1, options_.node_columns) != 0)
      throw ConfigError(
          "--node-rows must divide P and --node-columns must divide Q, found {} and {} of a {} x "
          "{} grid",
          decided.settings.tile.rows, decided.settings.tile.columns, spec.grid_rows,
          spec.grid_columns);
    check_memory(decided.spec, decided.settings, facts, wishes);
    return decided;
  }

  std::vector<ModelKind> models(const DecidedRun& decided) const {
    switch (options_.model) {
      case ModelRequest::Auto:
        return {affordable_model(decided)};
      case ModelRequest::Sampled:
        return {ModelKind::Sampled};
      case ModelRequest::Simulated:
        return {ModelKind::Simulated};
      case ModelRequest::All:
        return {ModelKind::Sampled, ModelKind::Simulated};
    }
    return {};
  }

  void add(const DecidedRun& decided) {
    const RunSpec& spec = decided.spec;
    const int ranks = spec.grid_rows * spec.grid_columns;
    append(report_.remarks, remarks_on_rates(decided, rates_));
    for (const ModelKind model : models(decided)) {
      require_affordable(model, decided);
      PredictedRun run = predicted_run(decided, predict(model, decided, rates_));
      run.nodes = (ranks + rates_.ranks_per_node - 1) / rates_.ranks_per_node;
      if (spec.order > 0) run.half_order = half_rate_order(decided, rates_, run.prediction.gflops);
      if (options_.json_file && spec.order > 0)
        run.smaller = rate_over_order(decided, rates_, kCurvePoints);
      report_.runs.push_back(std::move(run));
    }
  }

  const PredictOptions& options_;
  const Rates& rates_;
  PredictionReport& report_;
};

}  // namespace

PredictionReport predict_runs(const PredictOptions& options, const MachineFile& machine) {
  const Rates& rates = machine.rates;
  PredictionReport report{.machine = rates.machine, .origin = rates.origin};
  RunList runs(options, rates, report);
  if (options.dat_file) {
    runs.add_dat(plan_runs(read_hpl_dat(*options.dat_file)));
    return report;
  }
  std::vector<int> nodes = options.nodes;
  if (nodes.empty()) nodes = {std::max(1, rates.ranks / rates.ranks_per_node)};
  for (const int count : nodes)
    runs.add_ranks(require_ranks("--nodes, with their ranks,", count, rates.ranks_per_node));
  return report;
}

}  // namespace hpl
