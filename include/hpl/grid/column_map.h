#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hpl/grid/block_cyclic.h"

namespace hpl {

/// Which process column gets each of `blocks` block columns, so that of those from any one on to
/// the last, which are what a step of the factorization works on, each process has a share in
/// proportion to its weight (> 0), as nearly as whole blocks allow. Pure.
std::vector<int> deal_blocks(std::int64_t blocks, const std::vector<double>& weights);

/// The columns of the matrix, dealt in blocks to the process columns: in turn, or by weights.
class ColumnMap {
 public:
  ColumnMap() = default;
  /// No weights: in turn. Else one for each process.
  ColumnMap(const BlockCyclic<Axis::Column>& in_turn, const std::vector<double>& weights);

  std::int64_t block() const { return in_turn_.block; }
  int processes() const { return in_turn_.processes; }
  int rank() const { return in_turn_.rank; }

  int owner(GlobalColumn global) const;
  bool mine(GlobalColumn global) const { return owner(global) == rank(); }
  /// Local index on the owner, which is this process.
  LocalColumn to_local(GlobalColumn global) const { return lower_bound(global); }
  GlobalColumn to_global(LocalColumn local) const;
  /// How many columns below `global` this process has; also the local index of its first one not
  /// below `global`.
  LocalColumn lower_bound(GlobalColumn global) const;
  std::int64_t local_extent() const { return lower_bound({in_turn_.extent}).value; }

  /// Adjacent local columns that follow one index map, counted from the first of them.
  struct Run {
    LocalColumn begin;
    std::int64_t count = 0;
    hpcx::IndexMap map;
  };
  /// All local columns, in order.
  std::vector<Run> runs() const;

 private:
  /// Of an uneven deal.
  struct Table {
    std::vector<int> owners;           ///< by block
    std::vector<std::int64_t> before;  ///< blocks of this process before each, and before the end
  };
  BlockCyclic<Axis::Column> in_turn_;
  std::shared_ptr<const Table> table_;  // null: in turn
};

}  // namespace hpl
