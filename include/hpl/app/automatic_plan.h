#pragma once

#include <optional>

#include "hpl/app/machine.h"
#include "hpl/config/hpl_dat.h"
#include "hpl/config/options.h"
#include "hpl/grid/node_tiles.h"

namespace hpl {

/// What the job knows about ranks, nodes and the tile that the ranks of a node form in the grid.
struct Layout {
  NodeMap nodes;
  std::optional<GridShape> tile;

  /// Number of a rank of the job among those of a run's grid; empty without a part in it.
  std::optional<int> number_in_grid(int rank, const RunSpec& spec) const;
};

/// The tile that -p and -q ask for, if any. Collective over world: it looks which ranks share a
/// node. Throws ConfigError, the same on every rank.
Layout find_layout(const mpi::Communicator& world, const Options& options);

/// Fills P and Q of all ranks where `dat` leaves them open, and the tile of the nodes where several
/// of them have GPUs. Says what it chose and why in dat.remarks. Throws ConfigError where tiles do
/// not fit any of the grids.
HplDat complete_grid(HplDat dat, Layout& layout, const Machine& machine);

/// Fills what `dat` leaves open (N, NB) with what suits the machine: NB
/// by the processor, N by memory and, unless --mem-fraction asks for more, by time. Collective over
/// `world`: it measures the DGEMM rate. Says what it chose and why in dat.remarks.
HplDat complete_plan(HplDat dat, const mpi::Communicator& world, const Machine& machine,
                     const Options& options);

}  // namespace hpl
