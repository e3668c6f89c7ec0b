#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "hpl/lu/matrix/distributed_matrix.h"

namespace hpl {

/// Columns that do not fit the device live in host memory: the leftmost block columns, which are
/// finished first. A *visit* copies a block column, or a part of it, to the device, applies all
/// steps that it has missed, and copies it back. A visit of s steps moves 16 bytes per element and
/// makes 2 s NB operations with it.
struct VisitPolicy {
  /// Local columns that stay on the device, the last ones; the others are visited.
  std::int64_t resident_columns = std::numeric_limits<std::int64_t>::max();
  /// Steps of a visit, at least 1.
  int steps = 1;
  /// Columns of one visit, a divisor of NB; 0: NB. Fewer take less of the device's memory.
  std::int64_t columns = 0;
  /// As many visits end with each step; else most end with the same one of s.
  bool evenly = false;
};

/// The part of a process's columns that lives in host memory: whole block columns, never that of b.
/// Its slots hold two visits that are being updated, one that arrives, one that leaves, and the
/// block column of the next panel. Pure.
VisitedPart visited_part(const LocalShape& shape, const VisitPolicy& visits);

/// Whether a visit ends with `step`. `number`: of the columns that visit together, from the left.
/// `last`: the step before look-ahead takes them, with which their last visit ends.
///
/// The first visit waits until most columns have missed s steps, and the last is the short one. A
/// few end with each of the other steps, so that there are products beside every panel. Where the
/// products of a visit are shorter than its copies, but all products together are not, visits end
/// evenly: they need the resident columns' products of all steps beside them. Pure.
bool visit_ends(const VisitPolicy& visits, std::int64_t number, std::int64_t last,
                std::int64_t step);

/// Bytes that all visits of one process copy to its device; nearly as many go back. Pure.
double visit_bytes(const LocalShape& shape, const VisitPolicy& visits, int look_ahead);

/// Operations of one process's tail updates. Pure.
double product_flops(const LocalShape& shape);

/// k* = 4 F / B: at this depth a product takes as long as copying its result in and out. Of an H200
/// on PCI Express 5: F = 55 TFLOP/s, B = 47 GB/s.
inline constexpr double kBalancedDepth = 4700;

/// The part of the products' time that the copies of all visits take. Pure.
double copy_share(const LocalShape& shape, const VisitPolicy& visits, int look_ahead,
                  double balanced_depth = kBalancedDepth);

/// The input of choose_visits().
struct VisitWish {
  int look_ahead = 1;
  std::int64_t device_bytes = 0;  ///< device memory at hand
  /// Device bytes that a run with these visits needs.
  std::function<std::int64_t(const VisitPolicy&)> needs;
  std::optional<int> steps = {};             ///< asked for
  std::optional<std::int64_t> columns = {};  ///< asked for
  bool three_stage = false;  ///< nothing stays on the device, visits are of one step
  double balanced_depth = kBalancedDepth;
};

/// Chooses the fewest steps with which copies take at most half of the products' time, or else the
/// steps that move least, and as many resident columns as fit. Returns the wish as it is where
/// nothing fits. Pure.
VisitPolicy choose_visits(const LocalShape& shape, const VisitWish& wish);

}  // namespace hpl
