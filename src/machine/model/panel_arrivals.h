#pragma once

#include <span>
#include <vector>

#include "cost_model.h"

namespace hpl {

/// A panel on its way along a process row.
struct SentPanel {
  int root = 0;  ///< process column that has it
  double bytes = 0;
  /// By process column: when it is ready for the panel. The root begins to send then.
  std::span<const double> begin;
};

/// Panels along a process row, by the variant of the run: link by link.
class PanelArrivals {
 public:
  explicit PanelArrivals(const CostModel& costs);

  /// When a panel has arrived, by process column.
  void of(const SentPanel& panel, std::span<double> arrival) const;

 private:
  bool in_node(int from, int to) const { return from / tile_columns_ == to / tile_columns_; }
  /// Spread by a tree, then around the ring; for the processes from this distance on.
  void long_arrivals(const SentPanel& panel, int first_distance, double root_free,
                     std::span<double> arrival) const;

  const CostModel& costs_;
  int size_, tile_columns_;
  /// By their distance from the root, in the order in which they pass a panel on.
  std::vector<std::vector<int>> ways_;
  int first_without_way_;
};

}  // namespace hpl
