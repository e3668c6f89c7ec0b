#include "hpl/lu/grid/process_grid.h"

#include "hpl/base/error/error.h"

namespace hpl {

GridPosition grid_position(int rank, int rows, int columns, RankOrder order) {
  return order == RankOrder::RowMajor ? GridPosition{rank / columns, rank % columns}
                                      : GridPosition{rank % rows, rank / rows};
}

GridPosition position_of(const mpi::Communicator& ranks, const RunSpec& spec) {
  return grid_position(ranks.rank(), spec.grid_rows, spec.grid_columns, spec.rank_order);
}

int rank_at(GridPosition position, int rows, int columns, RankOrder order) {
  return order == RankOrder::RowMajor ? position.row * columns + position.column
                                      : position.column * rows + position.row;
}

ProcessGrid::ProcessGrid(const mpi::Communicator& all, int rows, int columns, RankOrder order)
    : rows_(rows),
      columns_(columns),
      position_(grid_position(all.rank(), rows, columns, order)),
      all_(all.dup()),
      row_(all.split(position_.row, position_.column)),
      column_(all.split(position_.column, position_.row)) {
  HPL_ASSERT(all.size() == rows * columns);
}

}  // namespace hpl
