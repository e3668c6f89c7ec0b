#include "hpl/job/setup/automatic_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hpl/base/error/error.h"
#include "hpl/input/plan/plan.h"
#include "hpl/job/setup/attainable_rate.h"
#include "hpl/job/setup/run_memory.h"
#include "hpl/job/setup/run_settings.h"
#include "hpl/machine/host/sizing.h"

namespace hpl {

std::optional<int> Layout::number_in_grid(int rank, const RunSpec& spec) const {
  const GridShape grid{spec.grid_rows, spec.grid_columns};
  if (tile) return tiled_number(nodes, rank, grid, *tile, spec.rank_order);
  if (rank >= grid.rows * grid.columns) return std::nullopt;
  return rank;
}

Layout find_layout(const mpi::Communicator& world, const Options& options) {
  Layout layout{.nodes = NodeMap::of(world), .tile = std::nullopt};
  if (options.fields.node_rows > 0 || options.fields.node_columns > 0)
    layout.tile =
        complete_tile({options.fields.node_rows, options.fields.node_columns}, layout.nodes);
  return layout;
}

HplDat complete_grid(HplDat dat, Layout& layout, const Machine& machine) {
  const int ranks = layout.nodes.ranks(), nodes = layout.nodes.nodes();
  if (dat.grid_rows.empty()) {
    GridShape grid = choose_grid(ranks, machine.kind(), nodes);
    std::string why = "all ranks";
    if (layout.tile) {
      grid = choose_grid_of_tiles(nodes, *layout.tile);
      why = fmt::format("node-local grids of {} x {}, as square as these allow", layout.tile->rows,
                        layout.tile->columns);
    } else if (machine.kind() == ProcessorKind::Gpu && nodes > 1) {
      why = "all ranks, as square as process columns inside a node allow";
      if (const auto per_node = layout.nodes.ranks_per_node()) {
        layout.tile = choose_tile(grid, *per_node);
        if (layout.tile)
          why += fmt::format("; {} x {} of them on each node, for the least traffic between nodes",
                             layout.tile->rows, layout.tile->columns);
      }
    } else if (grid.rows == 1 && ranks > 1) {
      why = "all ranks in one row: pivots stay inside a process";
    }
    dat.grid_rows = {grid.rows};
    dat.grid_columns = {grid.columns};
    dat.remarks.push_back(fmt::format("P x Q = {} x {}, {} rank(s) on {} node(s): {}", grid.rows,
                                      grid.columns, ranks, nodes, why));
  }
  if (layout.tile)
    for (std::size_t i = 0; i < dat.grid_rows.size(); ++i)
      check_tile({dat.grid_rows[i], dat.grid_columns[i]}, *layout.tile, layout.nodes);
  return dat;
}

std::vector<RunSpec> planned_runs(const HplDat& dat, const Options& options) {
  std::vector<RunSpec> runs = plan_runs(dat);
  for (RunSpec& spec : runs) {
    spec.checksums = options.wishes.verify_steps.value_or(false);
    spec.emulated_moduli = options.wishes.emulated_moduli;
    spec.matrix = options.wishes.matrix;
    spec.device_memory = options.machine.device_memory;
  }
  return runs;
}

namespace {

bool in_host_memory(const OrderWish& wish) {
  return wish.settings.front().matrix != MatrixRequest::Device;
}
/// The memory that a matrix as large as possible fills.
const MemoryBound& bound_of_matrix(const OrderWish& wish) {
  return in_host_memory(wish) ? wish.memory.host : wish.memory.device;
}

/// Where N is as large as the memory allows: what it takes, and of what.
std::string memory_reason(const OrderWish& wish, const hpcx::Device& device, double fraction,
                          std::int64_t order) {
  MemoryAccount largest;
  for (std::size_t i = 0; i < wish.runs.size(); ++i) {
    RunSpec spec = wish.runs[i];
    spec.order = order;
    RunSettings settings = wish.settings[i];
    place_matrix(spec, settings, device, wish.memory);
    const MemoryAccount account = memory_account(spec, settings, device);
    if (account.total().device > largest.total().device) largest = account;
  }
  const MemoryBound& bound = bound_of_matrix(wish);
  return fmt::format("the largest that fits into {:g} % of {} a rank ({}), with {}: {}",
                     100 * fraction, bytes_text(bound.bytes), bound.source,
                     bytes_text(largest.total().device), describe(largest));
}

}  // namespace

OrderChoice choose_order(const OrderWish& wish, const hpcx::Device& device) {
  const double fraction = wish.memory_fraction.value_or(kDefaultMemoryFraction);
  MemoryBounds memory = wish.memory;
  MemoryBound& bound = in_host_memory(wish) ? memory.host : memory.device;
  bound.bytes = static_cast<std::int64_t>(fraction * static_cast<double>(bound.bytes));
  const std::int64_t bytes = memory.device.bytes + (in_host_memory(wish) ? memory.host.bytes : 0);
  std::int64_t order = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < wish.runs.size(); ++i) {
    RunSpec spec = wish.runs[i];
    // No larger than that of a matrix without any workspace.
    const double elements = static_cast<double>(bytes) / 8 * spec.grid_rows * spec.grid_columns;
    spec.order = std::min(order, static_cast<std::int64_t>(std::sqrt(elements)));
    order = largest_order(std::move(spec), wish.settings[i], device, memory, wish.block_size);
  }
  if (!wish.memory_fraction && wish.estimate.known()) {
    RunSpec spec = wish.runs.front();
    spec.block_size = wish.block_size;
    spec.order = wish.estimate.order_within(spec, wish.settings.front(), wish.seconds);
    if (spec.order < order)
      return {spec.order,
              fmt::format("about {:.0f} s {}; --mem-fraction {:g} fills the memory instead",
                          wish.estimate.seconds(spec, wish.settings.front()), wish.estimate.basis(),
                          kDefaultMemoryFraction)};
  }
  return {order, order == 0 ? "" : memory_reason(wish, device, fraction, order)};
}

HplDat complete_plan(HplDat dat, const mpi::Communicator& world, const Machine& machine,
                     const Options& options, const Rates* rates) {
  if (!dat.orders.empty()) return dat;

  constexpr std::int64_t kFirstGuess = 100'000;  // large enough to ask for the large-N block
  if (options.fields.block_sizes.empty())
    dat.block_sizes = {
        block_size_for(kFirstGuess, machine.kind(), options.wishes.emulated_moduli > 0)};
  OrderWish wish{.block_size = dat.block_sizes.front(),
                 .memory = machine.memory_bounds(),
                 .memory_fraction = options.runs.mem_fraction};
  dat.orders = {kFirstGuess};
  wish.runs = planned_runs(dat, options);
  for (const RunSpec& spec : wish.runs)
    wish.settings.push_back(choose_settings(spec, machine, options));

  wish.estimate.rates = rates;
  if (rates == nullptr) {
    const std::vector<double> measured =
        measure_products(machine, world, tail_products(wish.runs.front(), wish.settings.front()),
                         Accuracy::Estimate);
    const double share =
        static_cast<double>(dat.grid_rows.front() * dat.grid_columns.front()) / world.size();
    wish.estimate.attainable_gflops =
        share * std::accumulate(measured.begin(), measured.end(), 0.0);
  }
  const OrderChoice choice = choose_order(wish, machine.device());
  if (choice.order == 0)
    throw ConfigError(fmt::format(
        "{} of the {:.2f} GB for each rank ({}) does not hold one block of NB = {}; give a larger "
        "--mem-fraction or a smaller --NB",
        options.runs.mem_fraction ? fmt::format("--mem-fraction {:g}", *options.runs.mem_fraction)
                                  : fmt::format("{:g} %", 100 * kDefaultMemoryFraction),
        1e-9 * static_cast<double>(machine.memory().bytes), machine.memory().source,
        wish.block_size));
  dat.orders = {choice.order};
  dat.remarks.push_back(fmt::format("N = {}: {}", choice.order, choice.why));
  return dat;
}

}  // namespace hpl
