#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "hpl/lu/matrix/distributed_matrix.h"

namespace hpl {

/// A part of the matrix that does not fit the device lives in host memory, block column by block
/// column from the left: the columns that are done first. A *visit* brings a block column, or a
/// part of it, to the device, applies all steps to it that it has missed, and takes it back. With s
/// steps a visit moves 16 bytes for 2 s NB operations.
struct VisitPolicy {
  /// Local columns that stay on the device, the last ones; the others are visited.
  std::int64_t resident_columns = std::numeric_limits<std::int64_t>::max();
  /// s, at least 1.
  int steps = 1;
  /// Columns of one visit, a divisor of NB; 0: NB. Fewer take less of the device's memory.
  std::int64_t columns = 0;
};

/// What of a process's columns lives in host memory: whole block columns, and never that of b. It
/// has slots for the columns of two visits that are updated, one that comes, one that goes, and the
/// next panel's. Pure.
VisitedPart visited_part(const LocalShape& shape, const VisitPolicy& visits);

/// Bytes that visits bring to the device of a process with this part of the matrix, over the whole
/// factorization; nearly as many go back. Pure.
double visit_bytes(const LocalShape& shape, const VisitPolicy& visits, int look_ahead);

/// What visits are chosen by.
struct VisitWish {
  int look_ahead = 1;
  std::int64_t device_bytes = 0;  ///< what there is of the device's memory
  /// Bytes of it that a run with these visits needs.
  std::function<std::int64_t(const VisitPolicy&)> needs;
  std::optional<int> steps = {};             ///< asked for
  std::optional<std::int64_t> columns = {};  ///< asked for
  bool three_stage = false;  ///< nothing stays on the device, visits are of one step
  /// k* = 4 F / B: the depth at which a product takes as long as moving its result in and out
  /// beside it. That of an H200 on PCI Express 5: F = 55 TFLOP/s, B = 47 GB/s.
  double balanced_depth = 4700;
};

/// The fewest steps with which the copies take at most half of the products' time, else those that
/// move least, and as many resident columns as fit beside them. What does not fit at all is left as
/// it is asked for. Pure.
VisitPolicy choose_visits(const LocalShape& shape, const VisitWish& wish);

}  // namespace hpl
