#pragma once

#include <span>
#include <vector>

#include "cost_model.h"

namespace hpl {

/// Panels along a process row, by the variant of the run: link by link.
class PanelArrivals {
 public:
  explicit PanelArrivals(const CostModel& costs);

  /// When a panel of so many bytes that `root` begins to send at `begin[root]` has arrived, by
  /// process column. `begin`: when each process is ready for it.
  void of(int root, double bytes, std::span<const double> begin, std::span<double> arrival) const;

 private:
  bool in_node(int from, int to) const { return from / tile_columns_ == to / tile_columns_; }
  /// Spread by a tree, then around the ring; for the processes from this distance on.
  void long_arrivals(int root, int first_distance, double root_free, double bytes,
                     std::span<const double> begin, std::span<double> arrival) const;

  const CostModel& costs_;
  int size_, tile_columns_;
  /// By their distance from the root, in the order in which they pass a panel on.
  std::vector<std::vector<int>> ways_;
  int first_without_way_;
};

}  // namespace hpl
