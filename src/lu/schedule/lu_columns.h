#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/schedule/schedule_policy.h"
#include "hpl/lu/update/tail_chunks.h"

namespace hpl {

using Step = std::int64_t;

/// The local columns that each step works on, and the visits of those that live in host memory. A
/// *piece* is what visits the device as one: a block column, or an equal part of it. Pure.
class LuColumns {
 public:
  LuColumns(const LocalShape& shape, const SchedulePolicy& policy)
      : shape_(shape),
        policy_(policy),
        steps_(steps_to_make(shape, policy)),
        visited_(visited_part(shape, policy.visits)) {}

  Step steps() const { return steps_; }
  /// Whether the schedule ends with the solution.
  bool makes_all_steps() const { return steps_ == step_count(shape_); }
  const LocalShape& shape() const { return shape_; }
  StepGeometry geometry(Step k) const { return step_geometry(shape_, k); }

  bool owns(Step j) const { return geometry(j).on_owner_column; }
  ColumnRange panel(Step j) const { return {geometry(j).panel_begin, geometry(j).width}; }
  /// The columns of panel j on their owner, in the pieces in which they lie on the device; empty
  /// elsewhere.
  std::vector<ColumnRange> block_column(Step j) const {
    if (!owns(j)) return {};
    if (!is_visited(panel(j))) return {panel(j)};
    return pieces_between(panel(j).begin.value, panel(j).end());
  }
  /// The begin of the tail of step k, behind the block columns that are ahead.
  LocalColumn tail_begin(Step k) const {
    return geometry(std::min(k + policy_.look_ahead, steps_ - 1)).tail_begin;
  }
  /// Columns behind panel j that are updated while it is factorized.
  std::int64_t overlapped_columns(Step j) const {
    if (policy_.look_ahead == 0 || j < policy_.look_ahead) return 0;
    return shape_.stored_columns - geometry(j).tail_begin.value;
  }
  /// Chunks that panel k updates behind the block columns that are ahead: all resident columns, and
  /// among them, evenly spread and from the right, the visits that end with step k.
  std::vector<ColumnRange> tail(Step k) const {
    if (geometry(k).tail_columns == 0) return {};
    const std::int64_t first = std::max(tail_begin(k).value, visited_.columns);
    const std::int64_t width =
        chunk_width(policy_, shape_.stored_columns - first, shape_.columns.block());
    std::vector<ColumnRange> visits = ending_visits(k);
    std::ranges::reverse(visits);
    return interleaved(tail_chunks(shape_, {first}, width), visits);
  }
  /// Visits that end with step k, from the left.
  std::vector<ColumnRange> ending_visits(Step k) const {
    std::vector<ColumnRange> visits = pieces_between(tail_begin(k).value, visited_.columns);
    std::erase_if(visits, [&](const ColumnRange& c) { return !visit_ends_with(k, c); });
    return visits;
  }

  /// Whether columns live in host memory.
  bool is_visited(const ColumnRange& c) const { return c.begin.value < visited_.columns; }
  /// Whether step k is the last before look-ahead takes the columns, which then stay on the device.
  bool stay_after(Step k, const ColumnRange& c) const { return panel_of(c) <= last_ahead(k); }
  /// The last step whose panel lives in host memory; -1: none does.
  Step last_visited_panel() const {
    return visited_.columns == 0
               ? -1
               : panel_of({{visited_.columns - visited_.slot_columns}, visited_.slot_columns});
  }
  /// Whether columns in host memory may get the update of panel j there, by the host.
  bool host_needs(Step j) const {
    return policy_.host_takes_part && last_visited_panel() > last_ahead(j);
  }

  int slots() const { return visited_.slots; }
  std::int64_t piece_of(const ColumnRange& c) const {
    return c.begin.value / visited_.slot_columns;
  }
  std::int64_t pieces_up_to(std::int64_t column) const {
    return (column + visited_.slot_columns - 1) / visited_.slot_columns;
  }

 private:
  /// Merges two lists: both keep their order, and the second is spread evenly over the first.
  static std::vector<ColumnRange> interleaved(const std::vector<ColumnRange>& a,
                                              const std::vector<ColumnRange>& b) {
    std::vector<ColumnRange> all;
    for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();)
      all.push_back(j == b.size() || (i < a.size() && i * b.size() <= j * a.size()) ? a[i++]
                                                                                    : b[j++]);
    return all;
  }
  std::vector<ColumnRange> pieces_between(std::int64_t begin, std::int64_t end) const {
    std::vector<ColumnRange> pieces;
    for (std::int64_t c = begin; c < end; c += visited_.slot_columns)
      pieces.push_back({{c}, visited_.slot_columns});
    return pieces;
  }
  /// The step whose panel these columns become.
  Step panel_of(const ColumnRange& c) const {
    return shape_.columns.to_global(c.begin).value / shape_.columns.block();
  }
  /// The last panel that is made before the next tail update.
  Step last_ahead(Step k) const { return std::min(k + 1 + policy_.look_ahead, steps_ - 1); }
  /// The last step ends all visits.
  bool visit_ends_with(Step k, const ColumnRange& c) const {
    return k == steps_ - 1 ||
           visit_ends(policy_.visits, piece_of(c), panel_of(c) - policy_.look_ahead - 1, k);
  }

  LocalShape shape_;
  SchedulePolicy policy_;
  Step steps_;
  VisitedPart visited_;
};

}  // namespace hpl
