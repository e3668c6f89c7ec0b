#include "hpl/lu/grid/node_tiles.h"

#include <algorithm>
#include <map>

#include "hpl/base/error/error.h"

namespace hpl {

NodeMap::NodeMap(const std::vector<int>& first_rank) {
  std::map<int, int> numbers;
  for (const int first : first_rank) {
    const auto [place, is_new] = numbers.try_emplace(first, nodes());
    if (is_new) sizes_.push_back(0);
    node_.push_back(place->second);
    local_.push_back(sizes_[static_cast<std::size_t>(place->second)]++);
  }
}

NodeMap NodeMap::of(const mpi::Communicator& world) {
  const mpi::Communicator node = world.split_shared();
  return NodeMap(world.all_gather(node.broadcast_value(world.rank(), 0)));
}

std::optional<int> NodeMap::ranks_per_node() const {
  const auto [least, most] = std::minmax_element(sizes_.begin(), sizes_.end());
  if (least == sizes_.end() || *least != *most) return std::nullopt;
  return *least;
}

std::optional<int> tiled_number(const NodeMap& nodes, int rank, GridShape grid, GridShape tile,
                                RankOrder order) {
  const int node = nodes.node_of(rank), local = nodes.local_rank(rank);
  const int tile_rows = grid.rows / tile.rows, tile_columns = grid.columns / tile.columns;
  if (node >= tile_rows * tile_columns || local >= tile.rows * tile.columns) return std::nullopt;
  const GridPosition outer = grid_position(node, tile_rows, tile_columns, order);
  const GridPosition inner = grid_position(local, tile.rows, tile.columns, order);
  return rank_at({outer.row * tile.rows + inner.row, outer.column * tile.columns + inner.column},
                 grid.rows, grid.columns, order);
}

GridShape complete_tile(GridShape tile, const NodeMap& nodes) {
  if (tile.rows > 0 && tile.columns > 0) return tile;
  int ranks = nodes.ranks_on(0);
  for (int node = 1; node < nodes.nodes(); ++node)
    ranks = std::min(ranks, nodes.ranks_on(node));
  const int given = std::max(tile.rows, tile.columns);
  if (ranks % given != 0)
    throw ConfigError("{} must divide the ranks of a node, {}, found {}",
                      tile.rows > 0 ? "--node-rows" : "--node-columns", ranks, given);
  return tile.rows > 0 ? GridShape{given, ranks / given} : GridShape{ranks / given, given};
}

void check_tile(GridShape grid, GridShape tile, const NodeMap& nodes) {
  const auto divide = [](const char* whole, int extent, const char* lines, int part) {
    if (extent % part != 0)
      throw ConfigError(
          "{0} must be a multiple of --node-{1}, the {1} of the processes of a node in the grid, "
          "found {0} = {2} and --node-{1} = {3}",
          whole, lines, extent, part);
  };
  divide("P", grid.rows, "rows", tile.rows);
  divide("Q", grid.columns, "columns", tile.columns);
  const int tiles = grid.rows / tile.rows * (grid.columns / tile.columns);
  if (tiles > nodes.nodes())
    throw ConfigError("a {} x {} grid of {} x {} node-local grids needs {} nodes, the job has {}",
                      grid.rows, grid.columns, tile.rows, tile.columns, tiles, nodes.nodes());
  for (int node = 0; node < tiles; ++node)
    if (nodes.ranks_on(node) < tile.rows * tile.columns)
      throw ConfigError(
          "--node-rows {} and --node-columns {} need {} ranks on every node, node {} (counted from "
          "0) has {}",
          tile.rows, tile.columns, tile.rows * tile.columns, node, nodes.ranks_on(node));
}

}  // namespace hpl
