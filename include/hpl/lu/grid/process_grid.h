#pragma once

#include "hpl/comm/mpi/communicator.h"
#include "hpl/input/run_spec/run_spec.h"

namespace hpl {

/// The position of a rank in a P x Q grid.
struct GridPosition {
  int row = 0;
  int column = 0;
};

/// Position of `rank` in a rows x columns grid (pure; HPL.dat PMAP).
GridPosition grid_position(int rank, int rows, int columns, RankOrder order);
/// Position of this rank of `ranks` in the grid of a run.
GridPosition position_of(const mpi::Communicator& ranks, const RunSpec& spec);
/// The rank that stands there.
int rank_at(GridPosition position, int rows, int columns, RankOrder order);

/// The processes of one run, as a P x Q grid. Owns one communicator over all of them, one over
/// this process's row (ranked by column) and one over its column (ranked by row).
class ProcessGrid {
 public:
  /// Collective over `all`, which must have exactly rows * columns ranks.
  ProcessGrid(const mpi::Communicator& all, int rows, int columns, RankOrder order);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  GridPosition position() const { return position_; }
  const mpi::Communicator& all() const { return all_; }
  /// Ranked by grid column: the processes a panel is broadcast to.
  const mpi::Communicator& row() const { return row_; }
  /// Ranked by grid row: the processes among which rows are exchanged.
  const mpi::Communicator& column() const { return column_; }

 private:
  int rows_, columns_;
  GridPosition position_;
  mpi::Communicator all_, row_, column_;
};

}  // namespace hpl
