#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hpl/input/run_spec/run_spec.h"
#include "hpl/lu/grid/grid_shape.h"
#include "hpl/lu/grid/process_grid.h"

namespace hpl {

/// The nodes of a job's ranks. Nodes are numbered in the order of their first rank.
class NodeMap {
 public:
  /// `first_rank[r]`: the lowest rank on the node of rank r.
  explicit NodeMap(const std::vector<int>& first_rank);
  /// Collective over world.
  static NodeMap of(const mpi::Communicator& world);

  int ranks() const { return static_cast<int>(node_.size()); }
  int nodes() const { return static_cast<int>(sizes_.size()); }
  int node_of(int rank) const { return node_[static_cast<std::size_t>(rank)]; }
  /// Number of a rank among those of its node.
  int local_rank(int rank) const { return local_[static_cast<std::size_t>(rank)]; }
  int ranks_on(int node) const { return sizes_[static_cast<std::size_t>(node)]; }
  /// The same number of ranks on every node; empty where they differ.
  std::optional<int> ranks_per_node() const;

 private:
  std::vector<int> node_, local_, sizes_;
};

/// The number of `rank` in a grid in which the first ranks of each node form a tile, an upright
/// piece of tile.rows x tile.columns processes: the number that grid_position() turns into its
/// place. Nodes are laid over the tiles, and ranks over a tile, in the same order (PMAP). Empty for
/// ranks without a part. Pure.
std::optional<int> tiled_number(const NodeMap& nodes, int rank, GridShape grid, GridShape tile,
                                RankOrder order);

/// The tile that --node-rows and --node-columns ask for; one of the two may be left open (0): the
/// ranks of the smallest node then decide. Throws ConfigError where that does not divide. Pure.
GridShape complete_tile(GridShape tile, const NodeMap& nodes);

/// Throws ConfigError where the grid is no whole number of tiles, or has more of them than there
/// are nodes with enough ranks. Pure.
void check_tile(GridShape grid, GridShape tile, const NodeMap& nodes);

}  // namespace hpl
