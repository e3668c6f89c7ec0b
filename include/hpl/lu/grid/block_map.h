#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hpl/lu/grid/block_cyclic.h"

namespace hpl {

/// Which process gets each of `blocks` blocks of rows or columns: of those from any one on to the
/// last, which are what a step of the factorization works on, each has a share in proportion to its
/// weight (> 0), and where whole blocks leave it above its share in some steps it is below in
/// others near by, which look-ahead evens out. No weights, or one: an empty table, which means
/// round-robin. Pure.
std::vector<int> distribute_blocks(std::int64_t blocks, const std::vector<double>& weights);

/// How many blocks each process has. Pure.
std::vector<std::int64_t> block_counts(const std::vector<int>& owners, int processes);

/// One dimension of the matrix, distributed in blocks: round-robin, or as a table says.
template <Axis axis>
class BlockMap {
 public:
  BlockMap() = default;
  /// Round-robin where `owners` is empty, else it has the process of each block.
  explicit BlockMap(const BlockCyclic<axis>& round_robin, std::vector<int> owners = {});

  std::int64_t extent() const { return round_robin_.extent; }
  std::int64_t block() const { return round_robin_.block; }
  int processes() const { return round_robin_.processes; }
  int rank() const { return round_robin_.rank; }

  int owner(GlobalIndex<axis> global) const;
  bool mine(GlobalIndex<axis> global) const { return owner(global) == rank(); }
  /// Local index on the owner, which is this process.
  LocalIndex<axis> to_local(GlobalIndex<axis> global) const { return lower_bound(global); }
  GlobalIndex<axis> to_global(LocalIndex<axis> local) const;
  /// How many indices below `global` this process has; also the local index of its first one not
  /// below `global`.
  LocalIndex<axis> lower_bound(GlobalIndex<axis> global) const;
  std::int64_t local_extent() const { return lower_bound({extent()}).value; }

  /// Adjacent local indices that follow one index map, counted from the first of them.
  struct Run {
    LocalIndex<axis> begin;
    std::int64_t count = 0;
    hpcx::IndexMap map;
  };
  /// All local indices, in order.
  std::vector<Run> runs() const;

 private:
  struct Table {
    std::vector<int> owners;           ///< by block
    std::vector<std::int64_t> before;  ///< blocks of this process before each, and before the end
  };
  BlockCyclic<axis> round_robin_;
  std::shared_ptr<const Table> table_;  // null: round-robin
};

using RowMap = BlockMap<Axis::Row>;
using ColumnMap = BlockMap<Axis::Column>;

}  // namespace hpl
