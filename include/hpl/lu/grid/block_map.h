#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hpl/lu/grid/block_cyclic.h"

namespace hpl {

/// The owner of each block of `extent` rows or columns; the last block may be shorter. A step of
/// the factorization works on all blocks from its own to the last. Of their rows or columns every
/// process gets a share in proportion to its weight (> 0). Whole blocks leave it above its share in
/// some steps and below in the next, which look-ahead evens out. No weight or a single one gives an
/// empty table, which means round-robin. Pure.
std::vector<int> distribute_blocks(std::int64_t extent, std::int64_t block,
                                   const std::vector<double>& weights);

/// The number of blocks of each process. Pure.
std::vector<std::int64_t> block_counts(const std::vector<int>& owners, int processes);

/// One dimension of the matrix, distributed in blocks: round-robin or by a table.
template <Axis axis>
class BlockMap {
 public:
  BlockMap() = default;
  /// `owners`: the process of each block; empty: round-robin.
  explicit BlockMap(const BlockCyclic<axis>& round_robin, std::vector<int> owners = {});

  std::int64_t extent() const { return round_robin_.extent; }
  std::int64_t block() const { return round_robin_.block; }
  int processes() const { return round_robin_.processes; }
  int rank() const { return round_robin_.rank; }

  int owner(GlobalIndex<axis> global) const;
  bool mine(GlobalIndex<axis> global) const { return owner(global) == rank(); }
  /// Local index. This process must be the owner.
  LocalIndex<axis> to_local(GlobalIndex<axis> global) const { return lower_bound(global); }
  GlobalIndex<axis> to_global(LocalIndex<axis> local) const;
  /// Number of this process's indices below `global`, which is the local index of its first one at
  /// or above it.
  LocalIndex<axis> lower_bound(GlobalIndex<axis> global) const;
  std::int64_t local_extent() const { return lower_bound({extent()}).value; }

  /// Adjacent local indices that follow one index map, which counts from the first of them.
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
