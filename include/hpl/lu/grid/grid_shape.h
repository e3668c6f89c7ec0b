#pragma once

#include <optional>
#include <vector>

#include "hpl/base/choice/choices.h"

namespace hpl {

/// Process grid P x Q.
struct GridShape {
  int rows = 1;     ///< P
  int columns = 1;  ///< Q

  bool operator==(const GridShape&) const = default;
};

/// Grid that uses all ranks (>= 1), P <= Q, as square as possible. On CPUs up to four ranks stand
/// in one row: pivots then stay inside a process, which is worth more there than balance (1 x 2
/// against 2 x 1: 5 to 16 %). GPUs of one node stand in one row up to eight for the same reason.
GridShape choose_grid(int ranks, ProcessorKind kind, int nodes = 1);

/// Grids of at least 15/16 of the ranks, but not of all, that a fit to the model on all data sheets
/// finds faster than the squarest of all ranks: the fastest first. Empty unless that one is flatter
/// than 1 : 2.
std::vector<GridShape> grids_of_fewer(int ranks);

/// As choose_grid(), but leaves up to a sixteenth of the ranks without a part if the others form a
/// squarer grid that is 2 % faster: of 251 ranks 250 run as 10 x 25. The rule for machines whose
/// rates are not known; best_configuration() corrects it by rates.
GridShape choose_grid_of_most(int ranks, ProcessorKind kind, int nodes = 1);

/// Grid of `nodes` tiles, as square as possible and rather wide than tall.
GridShape choose_grid_of_tiles(int nodes, GridShape tile);

/// The node-local grid p x q that the ranks of each node form, for the least traffic between nodes:
/// in a step each of its p rows takes in a share 1/P of the panel, and each of its q columns
/// exchanges a share 1/Q of the rows of U there and back. A tile of whole process columns comes
/// before all others, since its GPUs factorize panels together; else least p/P + 2 q/Q. Empty where
/// the ranks of a node form no tile of the grid.
std::optional<GridShape> choose_tile(GridShape grid, int ranks_per_node);

}  // namespace hpl
