#pragma once

#include "panel/exchange.h"
#include "panel/groups.h"
#include "panel/peers.h"
#include "panel/shared.h"
#include "panel/update.h"

/// The panel kernel's innermost factorization: a few columns, all rows, in registers.
namespace hpcx::HPCX_GPU_NAMESPACE {

/// Below this a pivot's reciprocal overflows; such pivots and what they divide are scaled first.
inline constexpr double kSmallestNormal = 2.2250738585072014e-308;
inline constexpr double kTinyScale = 0x1p600;

__device__ __forceinline__ PivotDivisor divisor_of(const Candidate& pivot) {
  const double magnitude = pivot.magnitude();
  PivotDivisor divisor;
  divisor.divides = magnitude > 0.0;
  divisor.scale = magnitude < kSmallestNormal ? kTinyScale : 1.0;
  divisor.reciprocal = 1.0 / (magnitude * divisor.scale);
  compute_now(divisor.reciprocal);
  return divisor;
}

/// `Rows` rows a thread (kPanelThreads apart) of `Width` columns, of which the first `count` exist.
/// The current column is always the first of the array: eliminating it moves all
/// others one place to the front and its multipliers to the end, so that the loop over columns need
/// not be unrolled and yet indexes registers with constants.
template <int Rows, int Width>
struct ActiveColumns {
  double value[Rows][Width];
  int top, count;

  // A thread's rows are known by their distance from its first one: a constant for each, which
  // comparisons have as an immediate, where the rows themselves would fill registers.
  __device__ __forceinline__ static int first_row(const BlockPosition& place) {
    return place.row_begin + place.thread();
  }
  __device__ __forceinline__ static constexpr int distance(int r) { return r * kPanelThreads; }

  __device__ __forceinline__ void load(const BlockPosition& place) {
    const int first = first_row(place);
    const int begin = top - first, end = place.row_end - first;
#pragma unroll
    for (int c = 0; c < Width; ++c) {
      const double* column = place.element(first, top + c);
#pragma unroll
      for (int r = 0; r < Rows; ++r)
        value[r][c] = distance(r) >= begin && distance(r) < end && c < count
                          ? load_shared_by_grid(column + distance(r))
                          : 0.0;
    }
  }

  /// value -= L(own, leaf : top) upper, upper in shared memory.
  __device__ __forceinline__ void subtract_leaf(const BlockPosition& place, int leaf) {
    const int first = first_row(place);
    const int begin = top - first, end = place.row_end - first;
    const double* column = place.element(first, leaf);
    // Two columns' loads at least are on their way at once, where registers allow.
    constexpr int kLoadsAhead = Rows < 8 ? 16 / Rows : Rows < 32 ? 2 : 1;
#pragma unroll kLoadsAhead
    for (int k = 0; k < top - leaf; ++k, column += place.window.ld) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        const bool active = distance(r) >= begin && distance(r) < end;
        const double l = active ? load_shared_by_grid(column + distance(r)) : 0.0;
#pragma unroll
        for (int c = 0; c < Width; ++c)
          value[r][c] -= l * place.shared.upper[k * Width + c];
      }
    }
  }

  __device__ __forceinline__ void store(const BlockPosition& place) const {
    const int first = first_row(place);
    const int begin = top - first, end = place.row_end - first;
#pragma unroll
    for (int i = 0; i < Width; ++i) {
      const int c = i - (Width - count);
      double* column = place.element(first, top + c);
#pragma unroll
      for (int r = 0; r < Rows; ++r)
        if (distance(r) >= begin && distance(r) < end && c >= 0) column[distance(r)] = value[r][i];
    }
  }

  __device__ __forceinline__ Candidate best_of_thread(const BlockPosition& place,
                                                      int first_candidate) const {
    const int first = first_row(place);
    const int begin = first_candidate - first, end = place.row_end - first;
    std::uint64_t best = 0;
    int best_distance = -1;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const std::uint64_t bits = bits_of(fabs(value[r][0]));
      const bool candidate = distance(r) >= begin && distance(r) < end;
      if (candidate && (bits > best || best_distance < 0)) {
        best = bits;
        best_distance = distance(r);
      }
    }
    if (best_distance < 0) return {};
    return {static_cast<unsigned>(best >> 32), static_cast<unsigned>(best),
            ~static_cast<unsigned>(first + best_distance)};
  }

  /// A row on its way to the other blocks; `staging` is its for as long as the step lasts.
  struct OwnRow {
    int row;
    double* staging;
    std::uint64_t* to;
  };
  /// The warp that owns the row, if it is one of this block's, publishes it. One thread alone would
  /// take long to store the words one by one.
  template <class Exchange>
  __device__ __forceinline__ void publish_row(const Exchange& exchange, const BlockPosition& place,
                                              const OwnRow& own, unsigned step) const {
    const auto [row, staging, to] = own;
    if (row < place.row_begin || row >= place.row_end) return;
    const int wanted = row - first_row(place);
    const int owner =
        static_cast<int>(static_cast<unsigned>(row - place.row_begin) % kPanelThreads);
    if (place.warp() != owner / kWarp) return;
    if (place.thread() == owner) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        if (distance(r) != wanted) continue;
#pragma unroll
        for (int c = 0; c < Width; ++c)
          staging[c] = value[r][c];
      }
    }
    sync_warp();
    if (place.lane() < Width) exchange.publish(to + 2 * place.lane(), staging[place.lane()], step);
  }

  /// In columns [Begin, End), exchanges the current row and the pivot's (both in shared memory) in
  /// the block's part. A negative pivot is in nobody's part, and the current row becomes it all the
  /// same.
  template <int Begin, int End>
  __device__ __forceinline__ void exchange_columns(int at_column, int at_pivot,
                                                   const PivotRows& rows) {
    if (at_pivot == at_column) return;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (distance(r) != at_pivot && distance(r) != at_column) continue;
      const double* row = distance(r) == at_pivot ? rows.displaced : rows.pivot;
#pragma unroll
      for (int c = Begin; c < End; ++c)
        value[r][c] = row[c];
    }
  }

  /// Exchanges rows `column` and `pivot` in the first two columns and eliminates the first from the
  /// second, which becomes the first. The multipliers become the second column for the time being.
  __device__ __forceinline__ void eliminate_from_next(const BlockPosition& place, int column,
                                                      int pivot, const PivotRows& rows) {
    const PivotDivisor divisor = *rows.divisor;
    const double above = rows.active[1];
    const double reciprocal = copysign(divisor.reciprocal, rows.pivot[0]);
    const int first = first_row(place);
    const int at_column = column - first;
    const int at_pivot = pivot - first;
    exchange_columns<0, 2>(at_column, at_pivot, rows);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const double current = value[r][0];
      const double multiplier = divisor.divides ? current * divisor.scale * reciprocal : current;
      const bool below = distance(r) > at_column;
      value[r][0] = value[r][1] - (below ? multiplier : 0.0) * above;
      value[r][1] = below ? multiplier : current;
    }
  }

  /// Does the same to all other columns; the column's multipliers become the last.
  /// Finished columns hold multipliers, which the elimination must not touch: there `rows.active`
  /// is zero.
  __device__ __forceinline__ void eliminate_from_others(const BlockPosition& place, int column,
                                                        int pivot, const PivotRows& rows) {
    const int at_column = column - first_row(place);
    exchange_columns<2, Width>(at_column, pivot - first_row(place), rows);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const double multiplier = value[r][1];
      const double factor = distance(r) > at_column ? multiplier : 0.0;
#pragma unroll
      for (int c = 2; c < Width; ++c)
        value[r][c - 1] = value[r][c] - factor * rows.active[c];
      value[r][Width - 1] = multiplier;
    }
  }

  /// Finds the block's candidate for a column, which is the first, and tells it to all blocks.
  template <class Exchange>
  __device__ __forceinline__ Candidate offer(const Exchange& exchange, const BlockPosition& place,
                                             const PivotMeeting& meeting) const {
    const Candidate of_block =
        reduce_block(place, best_of_thread(place, exchange.first_candidate(meeting.column)),
                     place.shared.of_warp);
    exchange.offer(place, of_block, meeting);
    return of_block;
  }

  /// Brings the pivot's row and, where the pivot is in the block's part, the row that it displaces
  /// to shared memory, and finds the divisor while they are on their way. By one warp.
  template <class Exchange>
  __device__ __forceinline__ PivotDivisor fetch_rows(const Exchange& exchange,
                                                     const BlockPosition& place,
                                                     const PivotMeeting& meeting,
                                                     const Candidate& best) const {
    using Scope = typename Exchange::Scope;
    const auto [column, step, left] = meeting;
    const PivotRows rows = place.shared.rows(step);
    const int lane = place.lane();
    const int pivot_here = exchange.local_row(best.row());
    const bool fetches = lane < Width;
    const bool fetches_displaced =
        fetches && pivot_here >= place.row_begin && pivot_here < place.row_end;
    const std::uint64_t* pivot_from = nullptr;
    const std::uint64_t* displaced_from = nullptr;
    WordPair pivot_seen, displaced_seen;
    if (fetches) {
      pivot_from = exchange.row(step, exchange.slot_of(place.window, best.row())) + 2 * lane;
      pivot_seen = Scope::observe(pivot_from);
    }
    if (fetches_displaced) {
      displaced_from =
          exchange.displaced_row(step, exchange.slot_of(place.window, column)) + 2 * lane;
      displaced_seen = Scope::observe(displaced_from);
    }
    const PivotDivisor divisor = divisor_of(best);
    if (fetches) {
      const double element = await_value<Scope>(pivot_from, step, pivot_seen);
      rows.pivot[lane] = element;
      rows.active[lane] = lane < left ? element : 0.0;
    }
    if (fetches_displaced)
      rows.displaced[lane] = await_value<Scope>(displaced_from, step, displaced_seen);
    return divisor;
  }

  /// Factorizes the columns; all blocks take part, and meet once a column. The last column's
  /// meeting also makes visible what the blocks wrote before. The next column is searched, and its
  /// candidates are on their way, before the current one is eliminated from the others.
  template <class Exchange>
  __device__ __forceinline__ void factorize(const Exchange& exchange, const BlockPosition& place,
                                            unsigned& step) {
    PanelShared& shared = place.shared;
    Candidate of_block = offer(exchange, place, {top, step + 1, count});
#pragma unroll 1
    for (int c = 0; c < count; ++c) {
      const int column = top + c;
      const int left = count - c;
      ++step;
      const PivotMeeting now{column, step, left};
      if (of_block.row_complement != 0)
        publish_row(exchange, place,
                    {of_block.row(), shared.own_candidate, exchange.own_row(place, step)}, step);
      if (exchange.holds_top())
        publish_row(exchange, place,
                    {column, shared.own_displaced, exchange.own_displaced_row(place, step)}, step);
      Candidate best = exchange.best(place, now);
      if constexpr (Exchange::kHasGroups) best = best_of_groups<Width>(exchange, place, now, best);
      const PivotRows rows = shared.rows(step);
      if (place.warp() == 0) {
        const PivotDivisor divisor = fetch_rows(exchange, place, now, best);
        if (place.lane() == 0) {
          shared.pivots[c] = best.row();
          *rows.divisor = divisor;
        }
      }
      __syncthreads();
      const int pivot = shared.pivots[c];
      const int pivot_here = exchange.local_row(pivot);
      if (place.block() == 0 && place.thread() == kPanelThreads - 1)
        report(place.window, column, pivot, rows.pivot[0]);
      eliminate_from_next(place, column, pivot_here, rows);
      if (left > 1) of_block = offer(exchange, place, {column + 1, step + 1, left - 1});
      eliminate_from_others(place, column, pivot_here, rows);
    }
  }

  __device__ __forceinline__ static void report(const PanelWindow& window, int column, int pivot,
                                                double diagonal) {
    window.pivots[column] = pivot;
    if (!(fabs(diagonal) > 0.0) && *window.zero_column < 0) *window.zero_column = column;
  }
};

/// shared.upper := L^-1 A(leaf : top, columns), each block for itself: rows of the leaf that are
/// final but for this.
template <int Width>
__device__ __forceinline__ void solve_upper(const BlockPosition& place, int leaf,
                                            PanelColumns columns) {
  const int depth = columns.top - leaf;
  load_lower(place, {leaf, depth});
  __syncthreads();
  for (int c = place.warp(); c < Width; c += kWarps) {
    double value = place.lane() < depth && c < columns.count
                       ? load_shared_by_grid(place.element(leaf + place.lane(), columns.top + c))
                       : 0.0;
    value = solve_lower(place, depth, value);
    if (place.lane() < depth) place.shared.upper[place.lane() * Width + c] = value;
  }
  __syncthreads();
}

/// U(leaf : top, columns) := shared.upper, by one block.
template <int Width>
__device__ __forceinline__ void store_upper(const BlockPosition& place, int leaf,
                                            PanelColumns columns) {
  if (place.block() != 0) return;
  for (int i = place.thread(); i < (columns.top - leaf) * Width; i += kPanelThreads) {
    const int c = i % Width;
    if (c < columns.count)
      *place.element(leaf + i / Width, columns.top + c) = place.shared.upper[i];
  }
}

/// Factorizes the leaf, `Width` columns at a time, and applies its row exchanges to all other
/// columns of the panel.
template <int Rows, int Width, class Exchange>
__device__ __forceinline__ void factorize_leaf(const Exchange& exchange, const BlockPosition& place,
                                               PanelColumns leaf, unsigned& step) {
#pragma unroll 1
  for (int top = leaf.top; top < leaf.end(); top += Width) {
    const PanelColumns columns{top, min(Width, leaf.end() - top)};
    ActiveColumns<Rows, Width> active;
    active.top = top;
    active.count = columns.count;
    if constexpr (Width < kLeafWidth) {
      if (top > leaf.top) solve_upper<Width>(place, leaf.top, columns);
    }
    active.load(place);
    if constexpr (Width < kLeafWidth) active.subtract_leaf(place, leaf.top);
    active.factorize(exchange, place, step);
    active.store(place);
    if constexpr (Width < kLeafWidth) store_upper<Width>(place, leaf.top, columns);
    __syncthreads();
    if constexpr (Exchange::kHasGroups) send_rows<Width>(exchange, place, columns, step);
    if constexpr (Exchange::kHasPeers)
      exchange_rows_with_peers<Width>(exchange, place, columns, step);
    else
      exchange_rows<Width>(place, columns);
    step += Exchange::kMeetSteps;
    exchange.meet(place, step);
  }
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
