#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "hpcx/kernels.h"

namespace hpl {

enum class Axis { Row, Column };

/// An index into the whole matrix, and one into the part of a process: different types, so that
/// the one cannot be taken for the other. Both count from 0.
template <Axis axis>
struct GlobalIndex {
  std::int64_t value = 0;
  constexpr auto operator<=>(const GlobalIndex&) const = default;
};
template <Axis axis>
struct LocalIndex {
  std::int64_t value = 0;
  constexpr auto operator<=>(const LocalIndex&) const = default;
};

using GlobalRow = GlobalIndex<Axis::Row>;
using GlobalColumn = GlobalIndex<Axis::Column>;
using LocalRow = LocalIndex<Axis::Row>;
using LocalColumn = LocalIndex<Axis::Column>;

/// Consecutive local columns.
struct ColumnRange {
  LocalColumn begin;
  std::int64_t count = 0;

  std::int64_t end() const { return begin.value + count; }
  bool operator==(const ColumnRange&) const = default;
};

/// Consecutive local rows.
struct RowRange {
  LocalRow begin;
  std::int64_t count = 0;

  std::int64_t end() const { return begin.value + count; }
  bool operator==(const RowRange&) const = default;
};

/// One dimension of a block-cyclic distribution: blocks of `block` indices go to
/// `processes` processes round-robin, block 0 to process 0. Pure arithmetic, nothing is stored.
///
///     global   0 1 2 | 3 4 5 | 6 7 8 | 9        block = 3, processes = 2, extent = 10
///     owner      0   |   1   |   0   | 1
///     local    0 1 2 | 0 1 2 | 3 4 5 | 3
template <Axis axis>
struct BlockCyclic {
  std::int64_t extent = 0;
  std::int64_t block = 1;
  int processes = 1;
  int rank = 0;  ///< the process for which local indices are meant

  constexpr int owner(GlobalIndex<axis> global) const {
    return static_cast<int>(global.value / block % processes);
  }
  constexpr bool mine(GlobalIndex<axis> global) const { return owner(global) == rank; }

  /// Local index on the owner.
  constexpr LocalIndex<axis> to_local(GlobalIndex<axis> global) const {
    return {global.value / (block * processes) * block + global.value % block};
  }
  constexpr GlobalIndex<axis> to_global(LocalIndex<axis> local) const {
    return {index_map()(local.value)};
  }

  /// The number of this process's indices below `global`; also the local index of its first one not
  /// below `global`.
  constexpr LocalIndex<axis> lower_bound(GlobalIndex<axis> global) const {
    const std::int64_t cycle = block * processes;
    const std::int64_t in_cycle = global.value % cycle - rank * block;
    return {global.value / cycle * block + std::clamp<std::int64_t>(in_cycle, 0, block)};
  }
  constexpr std::int64_t local_extent() const { return lower_bound({extent}).value; }

  constexpr hpcx::IndexMap index_map() const { return {block, block * processes, rank * block}; }
};

}  // namespace hpl
