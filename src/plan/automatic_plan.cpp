#include "hpl/plan/automatic_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hpl/base/error/error.h"
#include "hpl/base/text/quantity.h"
#include "hpl/input/plan/plan.h"
#include "hpl/job/live/status_line.h"
#include "hpl/machine/decide/run_memory.h"
#include "hpl/machine/host/sizing.h"
#include "hpl/machine/model/search.h"
#include "hpl/plan/attainable_rate.h"
#include "hpl/plan/sheet_expectation.h"

namespace hpl {

std::optional<int> RankLayout::number_in_grid(int rank, const RunSpec& spec) const {
  const GridShape grid{spec.grid_rows, spec.grid_columns};
  if (tile) return tiled_number(nodes, rank, grid, *tile, spec.rank_order);
  if (rank >= grid.rows * grid.columns) return std::nullopt;
  return rank;
}

std::vector<int> RankLayout::ranks_of(const RunSpec& spec) const {
  std::vector<int> ranks(static_cast<std::size_t>(spec.grid_rows) * spec.grid_columns);
  for (int rank = 0; rank < nodes.ranks(); ++rank)
    if (const std::optional<int> number = number_in_grid(rank, spec)) ranks[*number] = rank;
  return ranks;
}

namespace {

/// Nodes whose ranks follow each other.
NodeMap node_after_node(const JobResources& resources) {
  const int per_node = resources.ranks / resources.nodes;
  std::vector<int> first_rank;
  for (int rank = 0; rank < resources.ranks; ++rank)
    first_rank.push_back(rank - rank % per_node);
  return NodeMap(first_rank);
}

}  // namespace

RankLayout find_layout(const mpi::Communicator& world, const JobResources& resources,
                       const Options& options) {
  RankLayout layout{.nodes =
                        options.plan.ranks > 0 ? node_after_node(resources) : NodeMap::of(world)};
  if (options.fields.node_rows > 0 || options.fields.node_columns > 0)
    layout.tile =
        complete_tile({options.fields.node_rows, options.fields.node_columns}, layout.nodes);
  return layout;
}

namespace {

/// The reason for a grid of some of `ranks` ranks in place of that of the rule, or for the rule's.
std::string reason_for(GridShape grid, GridShape rule, int ranks, const GridChoice& choice) {
  const int left = ranks - grid.rows * grid.columns;
  std::string why = fmt::format("all {} ranks", ranks);
  if (left > 0)
    why = fmt::format("{} of {} ranks: faster than the flatter grids of all; {} without a part",
                      ranks - left, ranks, count_text(left, "rank"));
  if (grid != rule)
    why += fmt::format("; faster than {} x {} by the performance model and {}", rule.rows,
                       rule.columns, choice.by_model->rates);
  return why;
}

/// The grid, and why. Lays the ranks of nodes over it.
std::pair<GridShape, std::string> chosen_grid(RankLayout& layout, ProcessorKind kind,
                                              const GridChoice& choice) {
  const int ranks = layout.nodes.ranks(), nodes = layout.nodes.nodes();
  if (layout.tile)
    return {choose_grid_of_tiles(nodes, *layout.tile),
            fmt::format("node-local grids of {} x {}, as square as these allow", layout.tile->rows,
                        layout.tile->columns)};
  const GridShape rule = choice.idle == IdleRanks::None ? choose_grid(ranks, kind, nodes)
                                                        : choose_grid_of_most(ranks, kind, nodes);
  const GridShape grid = choice.by_model ? choice.by_model->grid : rule;
  if (ranks == 1) return {grid, "one rank"};
  layout.tile = node_tile(grid, layout.nodes, kind);
  std::string why = reason_for(grid, rule, ranks, choice);
  const bool plain = grid == rule && grid.rows * grid.columns == ranks;
  if (plain && grid.rows == 1)
    why += " in one row: pivots stay inside a process";
  else if (plain && kind == ProcessorKind::Gpu && nodes > 1)
    why += fmt::format(" on {} nodes, as square as possible", nodes);
  if (layout.tile)
    why += fmt::format("; {} x {} of them on each node, for the least traffic between nodes",
                       layout.tile->rows, layout.tile->columns);
  return {grid, why};
}

}  // namespace

RankLayout lay_out(RankLayout found, const RunSpec& spec, ProcessorKind kind) {
  const GridShape grid{spec.grid_rows, spec.grid_columns};
  if (found.tile)
    check_tile(grid, *found.tile, found.nodes);
  else
    found.tile = node_tile(grid, found.nodes, kind);
  return found;
}

HplDat complete_grid(HplDat dat, RankLayout& layout, ProcessorKind kind, const GridChoice& choice) {
  if (dat.grid_rows.empty()) {
    auto [grid, why] = chosen_grid(layout, kind, choice);
    dat.grid_rows = {grid.rows};
    dat.grid_columns = {grid.columns};
    dat.chosen.push_back({"P x Q", fmt::format("{} x {}", grid.rows, grid.columns), why});
  }
  if (layout.tile)
    for (std::size_t i = 0; i < dat.grid_rows.size(); ++i)
      check_tile({dat.grid_rows[i], dat.grid_columns[i]}, *layout.tile, layout.nodes);
  return dat;
}

std::vector<RunSpec> planned_runs(const HplDat& dat, const Options& options, ProcessorKind kind) {
  std::vector<RunSpec> runs = plan_runs(dat);
  for (RunSpec& spec : runs) {
    spec.checksums = options.wishes.verify_steps.value_or(false);
    spec.emulated_moduli = options.wishes.emulated_moduli;
    spec.matrix = options.wishes.matrix;
    spec.device_memory = options.machine.device_memory;
    if (options.wishes.mixed.wanted)
      spec = make_mixed(std::move(spec), mixed_spec(options.wishes.mixed, kind));
  }
  return runs;
}

double wanted_seconds(const Options& options) {
  constexpr double kRunsOfFleet = 6;  // that fit into its time
  const double usual = OrderWish().seconds;
  return std::min(usual, options.fleet.for_seconds.value_or(kRunsOfFleet * usual) / kRunsOfFleet);
}

namespace {

bool in_host_memory(const OrderWish& wish) {
  return wish.wishes.matrix != MatrixRequest::Device;
}
/// The memory that a matrix as large as possible fills.
MemoryBound& bound_of_matrix(const OrderWish& wish, MemoryBounds& memory) {
  return in_host_memory(wish) ? memory.host : memory.device;
}

/// For an N as large as the memory allows: the memory that it takes, and its bound.
std::string memory_reason(const OrderWish& wish, double fraction, std::int64_t order) {
  MemoryAccount largest;
  for (RunSpec spec : wish.runs) {
    spec.order = order;
    const MemoryAccount account = decide(spec, wish.facts, wish.wishes).memory;
    if (account.total().device > largest.total().device) largest = account;
  }
  MemoryBounds memory = wish.facts.memory;
  const MemoryBound& bound = bound_of_matrix(wish, memory);
  return fmt::format("the largest that fits into {:g} % of {} a rank ({}), with {}: {}",
                     100 * fraction, bytes_text(bound.bytes), bound.source,
                     bytes_text(largest.total().device), describe(largest));
}

}  // namespace

OrderChoice choose_order(const OrderWish& wish) {
  const double fraction = wish.memory_fraction.value_or(kDefaultMemoryFraction);
  Facts facts = wish.facts;
  MemoryBound& bound = bound_of_matrix(wish, facts.memory);
  bound.bytes = static_cast<std::int64_t>(fraction * static_cast<double>(bound.bytes));
  const std::int64_t bytes =
      facts.memory.device.bytes + (in_host_memory(wish) ? facts.memory.host.bytes : 0);
  std::int64_t order = std::numeric_limits<std::int64_t>::max();
  for (RunSpec spec : wish.runs) {
    // No larger than that of a matrix without any workspace.
    const double elements = static_cast<double>(bytes) /
                            static_cast<double>(local_shape(spec, {}).element_bytes) *
                            spec.grid_rows * spec.grid_columns;
    spec.order = std::min(order, static_cast<std::int64_t>(std::sqrt(elements)));
    order = largest_order(spec, facts, wish.wishes, wish.block_size);
  }
  if (!wish.memory_fraction && wish.estimate.known()) {
    RunSpec spec = wish.runs.front();
    const RunSettings settings = decide(spec, wish.facts, wish.wishes);
    spec.block_size = wish.block_size;
    spec.order = wish.estimate.order_within(spec, settings, wish.seconds);
    if (spec.order < order)
      return {spec.order,
              fmt::format("about {:.0f} s {}; --mem-fraction {:g} fills the memory instead",
                          wish.estimate.seconds(spec, settings), wish.estimate.basis(),
                          kDefaultMemoryFraction)};
  }
  return {order, order == 0 ? "" : memory_reason(wish, fraction, order)};
}

namespace {

/// The rate of the products of such a run on all ranks of its grid. Collective over the world.
double measured_gflops(const PlanContext& context, const RunSpec& spec,
                       const RunSettings& settings) {
  const std::vector<double> measured =
      measure_products(context.machine, context.world, tail_products(spec, settings),
                       Accuracy::Estimate, live_view(context.options.outputs.progress));
  const double share =
      static_cast<double>(spec.grid_rows * spec.grid_columns) / context.world.size();
  return share * std::accumulate(measured.begin(), measured.end(), 0.0);
}

}  // namespace

TimeEstimate estimate_for(const PlanContext& context, const RunSpec& spec,
                          const RunSettings& settings) {
  if (context.rates != nullptr) return {.rates = context.rates};
  return {.attainable_gflops = measured_gflops(context, spec, settings)};
}

namespace {

/// An N for which the block sizes of large runs are usual.
constexpr std::int64_t kFirstGuess = 200'000;

/// Rates of ranks with this layout, and their name; empty: unknown.
std::optional<std::pair<Rates, std::string>> known_rates(const PlanContext& context,
                                                         const RankLayout& layout) {
  if (context.rates != nullptr) return {{*context.rates, "the rates of --rates"}};
  const Machine& machine = context.machine;
  if (machine.kind() != ProcessorKind::Gpu || machine.ranks_on_device() > 1) return std::nullopt;
  const std::string device = machine.device().properties().name;
  auto rates = rates_by_sheet(device, layout.nodes.ranks(), layout.nodes.nodes());
  if (!rates) return std::nullopt;
  return {{*std::move(rates), fmt::format("the data sheet of {}", device)}};
}

/// The settings from which the model chooses the grid. Throws ConfigError without rates for them.
SearchSpace grids_to_price(const HplDat& dat, const PlanContext& context, const Rates& rates,
                           const RankLayout& layout) {
  const Options& options = context.options;
  HplDat one = dat;
  one.grid_rows = {1};
  one.grid_columns = {1};
  if (one.orders.empty()) one.orders = {kFirstGuess};
  if ((dat.orders.empty() && options.fields.block_sizes.empty()) || one.block_sizes.empty())
    one.block_sizes = {
        block_size_for(one.orders.front(), context.machine.kind(), products_of(options.wishes))};
  SearchSpace space{.block_sizes = {one.block_sizes.front()},
                    .ranks = layout.nodes.ranks(),
                    .memory_fraction = options.runs.mem_fraction.value_or(kDefaultMemoryFraction),
                    .spec = planned_runs(one, options, context.machine.kind()).front()};
  if (!dat.orders.empty()) {
    space.orders = {std::ranges::max(dat.orders)};
  } else if (!options.runs.mem_fraction && !space.spec.mixed) {
    SearchSpace by_rule = space;
    by_rule.grids = {choose_grid_of_most(layout.nodes.ranks(), rates.kind, layout.nodes.nodes())};
    const DecidedRun largest = best_configuration(by_rule, rates);
    const std::int64_t in_time = order_within(largest, rates, wanted_seconds(options));
    if (in_time < largest.spec.order) space.orders = {in_time};
  }
  return space;
}

}  // namespace

std::optional<ModelGrid> grid_by_model(const PlanContext& context, const RankLayout& layout,
                                       const HplDat& dat) {
  if (!dat.grid_rows.empty() || layout.tile) return std::nullopt;
  // Rank 0 decides: others may have another device, and predict other last digits.
  GridShape grid{0, 0};
  std::string name;
  if (context.world.rank() == 0) {
    try {
      if (const auto known = known_rates(context, layout)) {
        const RunSpec spec =
            best_configuration(grids_to_price(dat, context, known->first, layout), known->first)
                .spec;
        grid = {spec.grid_rows, spec.grid_columns};
        name = known->second;
      }
    } catch (const ConfigError&) {  // the rates are of other runs: the rule remains
    }
  }
  grid = context.world.broadcast_value(grid, 0);
  name = context.world.broadcast(name, 0);
  if (grid.rows == 0) return std::nullopt;
  return ModelGrid{grid, name};
}

CompletedPlan complete_plan(HplDat dat, const PlanContext& context, const RankLayout& layout,
                            const LinkMaker& make_links) {
  const auto& [world, machine, options, rates] = context;
  const bool gpu = machine.kind() == ProcessorKind::Gpu;
  const Products products = products_of(options.wishes);
  if (options.fields.block_sizes.empty())
    dat.block_sizes = {block_size_for(kFirstGuess, machine.kind(), products)};
  dat.orders = {kFirstGuess};
  OrderWish wish{.runs = planned_runs(dat, options, machine.kind()),
                 .facts = machine.facts(),
                 .wishes = options.wishes,
                 .block_size = dat.block_sizes.front(),
                 .memory_fraction = options.runs.mem_fraction,
                 .seconds = wanted_seconds(options)};
  const RunSpec& first = wish.runs.front();
  if (make_links)
    wish.facts.link_bytes = make_links(layout, first, decide(first, wish.facts, wish.wishes));
  // Of HPL-MxP a GPU's memory is full long before a run takes a minute.
  if (!(first.mixed && gpu))
    wish.estimate = estimate_for(context, first, decide(first, wish.facts, wish.wishes));
  const OrderChoice choice = choose_order(wish);
  if (choice.order == 0)
    throw ConfigError(
        "{} of the {:.2f} GB for each rank ({}) does not hold one block of NB = {}; give a larger "
        "--mem-fraction or a smaller --NB",
        options.runs.mem_fraction ? fmt::format("--mem-fraction {:g}", *options.runs.mem_fraction)
                                  : fmt::format("{:g} %", 100 * kDefaultMemoryFraction),
        1e-9 * static_cast<double>(machine.memory().bytes), machine.memory().source,
        wish.block_size);
  dat.orders = {choice.order};
  if (options.fields.block_sizes.empty()) {
    if (products == Products::Mixed)
      dat.block_sizes = {block_size_for(choice.order, machine.kind(), products)};
    dat.chosen.push_back(
        {"NB", fmt::format("{}", dat.block_sizes.front()),
         fmt::format("measured to be the best for large matrices on {}", gpu ? "GPUs" : "CPUs")});
  }
  dat.chosen.push_back({"N", fmt::format("{}", choice.order), choice.why});
  return {std::move(dat), wish.estimate, wish.facts.link_bytes};
}

}  // namespace hpl
