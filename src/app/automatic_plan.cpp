#include "hpl/app/automatic_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "hpl/app/ceiling.h"
#include "hpl/app/run_settings.h"
#include "hpl/base/error.h"
#include "hpl/config/plan.h"

namespace hpl {

std::optional<int> Layout::number_in_grid(int rank, const RunSpec& spec) const {
  const GridShape grid{spec.grid_rows, spec.grid_columns};
  if (tile) return tiled_number(nodes, rank, grid, *tile, spec.rank_order);
  if (rank >= grid.rows * grid.columns) return std::nullopt;
  return rank;
}

Layout find_layout(const mpi::Communicator& world, const Options& options) {
  Layout layout{.nodes = NodeMap::of(world), .tile = std::nullopt};
  if (options.node_rows > 0 || options.node_columns > 0)
    layout.tile = complete_tile({options.node_rows, options.node_columns}, layout.nodes);
  return layout;
}

HplDat complete_grid(HplDat dat, Layout& layout, const Machine& machine) {
  const int ranks = layout.nodes.ranks(), nodes = layout.nodes.nodes();
  if (dat.grid_rows.empty()) {
    GridShape grid = choose_grid(ranks, machine.kind(), nodes);
    std::string why = "all ranks";
    if (layout.tile) {
      grid = choose_grid_of_tiles(nodes, *layout.tile);
      why = fmt::format("a tile of {} x {} on each node, as square as these allow",
                        layout.tile->rows, layout.tile->columns);
    } else if (machine.kind() == ProcessorKind::Gpu && nodes > 1) {
      why = "all ranks, as square as process columns inside a node allow";
      if (const auto per_node = layout.nodes.ranks_per_node()) {
        layout.tile = choose_tile(grid, *per_node);
        if (layout.tile)
          why += fmt::format("; {} x {} of them on each node, so that the least leaves it",
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

HplDat complete_plan(HplDat dat, const mpi::Communicator& world, const Machine& machine,
                     const Options& options) {
  if (!dat.orders.empty()) return dat;

  constexpr double kFirstGuess = 100'000;  // an order large enough to ask for the large-N block
  if (options.block_sizes.empty())
    dat.block_sizes = {block_size_for(static_cast<std::int64_t>(kFirstGuess), machine.kind())};
  const GridShape grid{dat.grid_rows.front(), dat.grid_columns.front()};
  const RunSpec large{.order = static_cast<std::int64_t>(kFirstGuess),
                      .block_size = dat.block_sizes.front(),
                      .grid_rows = grid.rows,
                      .grid_columns = grid.columns};
  const std::vector<double> rates = measure_products(
      machine, world, tail_products(large, choose_settings(large, machine, options)),
      Accuracy::Estimate);
  const double ceiling = std::accumulate(rates.begin(), rates.end(), 0.0);
  const double share = static_cast<double>(grid.rows * grid.columns) / world.size();
  const AutomaticSize wish{.bytes_total = machine.memory().bytes * grid.rows * grid.columns,
                           .memory_fraction = options.mem_fraction,
                           .gflops = 0.85 * ceiling * share,
                           .seconds = 40,
                           .model = {.grid = grid, .block_size = dat.block_sizes.front()}};
  dat.orders = {automatic_order(wish)};
  if (dat.orders.front() == 0)
    throw ConfigError(fmt::format(
        "{} of the {:.2f} GB for each rank ({}) does not hold one block of NB = {}; give a larger "
        "--mem-fraction or a smaller --NB",
        options.mem_fraction ? fmt::format("--mem-fraction {:g}", *options.mem_fraction)
                             : fmt::format("{:g} %", 100 * kDefaultMemoryFraction),
        1e-9 * static_cast<double>(machine.memory().bytes), machine.memory().source,
        dat.block_sizes.front()));
  if (options.mem_fraction)
    dat.remarks.push_back(fmt::format("N = {}: {:g} % of the memory ({:.1f} GB a rank, {})",
                                      dat.orders.front(), 100 * *options.mem_fraction,
                                      1e-9 * static_cast<double>(machine.memory().bytes),
                                      machine.memory().source));
  else
    dat.remarks.push_back(fmt::format(
        "N = {}: about {:.0f} s at 85 % of the measured DGEMM rate, {:.0f} GFLOP/s; --mem-fraction "
        "0.8 fills the memory instead",
        dat.orders.front(), estimated_seconds(dat.orders.front(), wish.gflops), ceiling));
  return dat;
}

}  // namespace hpl
