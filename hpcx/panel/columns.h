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

/// `Rows` rows a thread (kPanelThreads apart) of `Width` columns starting at column `top`, of which
/// `count` exist. The current column is always the first of the array: eliminating it moves all
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

  __device__ __forceinline__ void load(const PanelWindow& window, const BlockPosition& place) {
    const int first = first_row(place);
    const int begin = top - first, end = place.row_end - first;
#pragma unroll
    for (int c = 0; c < Width; ++c) {
      const double* column = element(window, first, top + c);
#pragma unroll
      for (int r = 0; r < Rows; ++r)
        value[r][c] = distance(r) >= begin && distance(r) < end && c < count
                          ? load_shared_by_grid(column + distance(r))
                          : 0.0;
    }
  }

  /// value -= L(own, leaf : top) upper, upper in shared memory.
  __device__ __forceinline__ void subtract_leaf(const PanelWindow& window,
                                                const BlockPosition& place, int leaf,
                                                const PanelShared& shared) {
    const int first = first_row(place);
    const int begin = top - first, end = place.row_end - first;
    const double* column = element(window, first, leaf);
    // Two columns' loads at least are on their way at once, where registers allow.
    constexpr int kLoadsAhead = Rows < 8 ? 16 / Rows : Rows < 32 ? 2 : 1;
#pragma unroll kLoadsAhead
    for (int k = 0; k < top - leaf; ++k, column += window.ld) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        const bool active = distance(r) >= begin && distance(r) < end;
        const double l = active ? load_shared_by_grid(column + distance(r)) : 0.0;
#pragma unroll
        for (int c = 0; c < Width; ++c)
          value[r][c] -= l * shared.upper[k * Width + c];
      }
    }
  }

  __device__ __forceinline__ void store(const PanelWindow& window,
                                        const BlockPosition& place) const {
    const int first = first_row(place);
    const int begin = top - first, end = place.row_end - first;
#pragma unroll
    for (int i = 0; i < Width; ++i) {
      const int c = i - (Width - count);
      double* column = element(window, first, top + c);
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

  /// The warp that owns `row`, if it is one of this block's, publishes it; `staging` is its for as
  /// long as the step lasts. One thread alone would take long to store the words one by one.
  template <class Exchange>
  __device__ __forceinline__ void publish_row(const Exchange& exchange, const BlockPosition& place,
                                              int row, std::uint64_t* to, unsigned step,
                                              double* staging) const {
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
                                                   const double* pivot_row,
                                                   const double* displaced_row) {
    if (at_pivot == at_column) return;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (distance(r) != at_pivot && distance(r) != at_column) continue;
      const double* row = distance(r) == at_pivot ? displaced_row : pivot_row;
#pragma unroll
      for (int c = Begin; c < End; ++c)
        value[r][c] = row[c];
    }
  }

  /// Exchanges rows `column` and `pivot` in the first two columns and eliminates the first from the
  /// second, which becomes the first; `above` is the pivot row's element of the second, 0 if it is
  /// finished. The multipliers become the second column for the time being.
  __device__ __forceinline__ void eliminate_from_next(const BlockPosition& place, int column,
                                                      int pivot, const PivotDivisor& divisor,
                                                      const double* pivot_row, double above,
                                                      const double* displaced_row) {
    const double reciprocal = copysign(divisor.reciprocal, pivot_row[0]);
    const int first = first_row(place);
    const int at_column = column - first;
    const int at_pivot = pivot - first;
    exchange_columns<0, 2>(at_column, at_pivot, pivot_row, displaced_row);
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
  /// Finished columns hold multipliers, which the elimination must not touch: there `active_row` is
  /// zero.
  __device__ __forceinline__ void eliminate_from_others(const BlockPosition& place, int column,
                                                        int pivot, const double* pivot_row,
                                                        const double* active_row,
                                                        const double* displaced_row) {
    const int at_column = column - first_row(place);
    exchange_columns<2, Width>(at_column, pivot - first_row(place), pivot_row, displaced_row);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const double multiplier = value[r][1];
      const double factor = distance(r) > at_column ? multiplier : 0.0;
#pragma unroll
      for (int c = 2; c < Width; ++c)
        value[r][c - 1] = value[r][c] - factor * active_row[c];
      value[r][Width - 1] = multiplier;
    }
  }

  /// Finds the block's candidate for `column`, which is the first, and tells it to all blocks.
  template <class Exchange>
  __device__ __forceinline__ Candidate offer(const Exchange& exchange, const BlockPosition& place,
                                             int column, unsigned step, PanelShared& shared) const {
    const Candidate of_block = reduce_block(
        place, best_of_thread(place, exchange.first_candidate(column)), shared.of_warp);
    exchange.offer(place, of_block, step, column + 1 == top + count);
    return of_block;
  }

  /// Brings the pivot's row and, where the pivot is in the block's part, the row that it displaces
  /// to shared memory, and finds the divisor while they are on their way. By one warp.
  template <class Exchange>
  __device__ __forceinline__ PivotDivisor fetch_rows(const PanelWindow& window,
                                                     const Exchange& exchange,
                                                     const BlockPosition& place, int column,
                                                     int left, const Candidate& best, unsigned step,
                                                     PanelShared& shared) const {
    using Scope = typename Exchange::Scope;
    const int lane = place.lane();
    const int pivot_here = exchange.local_row(best.row());
    const bool fetches = lane < Width;
    const bool fetches_displaced =
        fetches && pivot_here >= place.row_begin && pivot_here < place.row_end;
    const std::uint64_t* pivot_from = nullptr;
    const std::uint64_t* displaced_from = nullptr;
    WordPair pivot_seen, displaced_seen;
    if (fetches) {
      pivot_from = exchange.row(step, exchange.slot_of(window, best.row())) + 2 * lane;
      pivot_seen = Scope::observe(pivot_from);
    }
    if (fetches_displaced) {
      displaced_from = exchange.displaced_row(step, exchange.slot_of(window, column)) + 2 * lane;
      displaced_seen = Scope::observe(displaced_from);
    }
    const PivotDivisor divisor = divisor_of(best);
    if (fetches) {
      const double element = await_value<Scope>(pivot_from, step, pivot_seen);
      shared.pivot_row[step & 1u][lane] = element;
      shared.active_row[step & 1u][lane] = lane < left ? element : 0.0;
    }
    if (fetches_displaced)
      shared.displaced_row[step & 1u][lane] =
          await_value<Scope>(displaced_from, step, displaced_seen);
    return divisor;
  }

  /// Factorizes the columns; all blocks take part, and meet once a column. The last column's
  /// meeting also makes visible what the blocks wrote before. The next column is searched, and its
  /// candidates are on their way, before the current one is eliminated from the others.
  template <class Exchange>
  __device__ __forceinline__ void factorize(const PanelWindow& window, const Exchange& exchange,
                                            const BlockPosition& place, unsigned& step,
                                            PanelShared& shared) {
    Candidate of_block = offer(exchange, place, top, step + 1, shared);
#pragma unroll 1
    for (int c = 0; c < count; ++c) {
      const int column = top + c;
      const int left = count - c;
      ++step;
      if (of_block.row_complement != 0)
        publish_row(exchange, place, of_block.row(), exchange.own_row(place, step), step,
                    shared.own_candidate);
      if (exchange.holds_top())
        publish_row(exchange, place, column, exchange.own_displaced_row(place, step), step,
                    shared.own_displaced);
      Candidate best = exchange.best(place, step, left == 1, shared);
      if constexpr (Exchange::kHasGroups)
        best = best_of_groups<Width>(window, exchange, place, column, best, step, shared);
      double* pivot_row = shared.pivot_row[step & 1u];
      double* active_row = shared.active_row[step & 1u];
      double* displaced_row = shared.displaced_row[step & 1u];
      if (place.warp() == 0) {
        const PivotDivisor divisor =
            fetch_rows(window, exchange, place, column, left, best, step, shared);
        if (place.lane() == 0) {
          shared.pivots[c] = best.row();
          shared.divisor[step & 1u] = divisor;
        }
      }
      __syncthreads();
      const int pivot = shared.pivots[c];
      const int pivot_here = exchange.local_row(pivot);
      const PivotDivisor divisor = shared.divisor[step & 1u];
      if (place.block() == 0 && place.thread() == kPanelThreads - 1)
        report(window, column, pivot, pivot_row[0]);
      eliminate_from_next(place, column, pivot_here, divisor, pivot_row, active_row[1],
                          displaced_row);
      if (left > 1) of_block = offer(exchange, place, column + 1, step + 1, shared);
      eliminate_from_others(place, column, pivot_here, pivot_row, active_row, displaced_row);
    }
  }

  __device__ __forceinline__ static void report(const PanelWindow& window, int column, int pivot,
                                                double diagonal) {
    window.pivots[column] = pivot;
    if (!(fabs(diagonal) > 0.0) && *window.zero_column < 0) *window.zero_column = column;
  }
};

/// shared.upper := L^-1 A(leaf : top, top : top + count), each block for itself: rows of the leaf
/// that are final but for this.
template <int Width>
__device__ __forceinline__ void solve_upper(const PanelWindow& window, const BlockPosition& place,
                                            int leaf, int top, int count, PanelShared& shared) {
  const int depth = top - leaf;
  load_lower(window, place, leaf, depth, shared);
  __syncthreads();
  for (int c = place.warp(); c < Width; c += kWarps) {
    double value = place.lane() < depth && c < count
                       ? load_shared_by_grid(element(window, leaf + place.lane(), top + c))
                       : 0.0;
    value = solve_lower(place, depth, value, shared);
    if (place.lane() < depth) shared.upper[place.lane() * Width + c] = value;
  }
  __syncthreads();
}

/// U(leaf : top, top : top + count) := shared.upper, by one block.
template <int Width>
__device__ __forceinline__ void store_upper(const PanelWindow& window, const BlockPosition& place,
                                            int leaf, int top, int count,
                                            const PanelShared& shared) {
  if (place.block() != 0) return;
  for (int i = place.thread(); i < (top - leaf) * Width; i += kPanelThreads) {
    const int c = i % Width;
    if (c < count) *element(window, leaf + i / Width, top + c) = shared.upper[i];
  }
}

/// Factorizes the leaf [leaf, leaf + leaf_cols), `Width` columns at a time, and applies its row
/// exchanges to all other columns of the panel.
template <int Rows, int Width, class Exchange>
__device__ __forceinline__ void factorize_leaf(const PanelWindow& window, const Exchange& exchange,
                                               const BlockPosition& place, int leaf, int leaf_cols,
                                               unsigned& step, PanelShared& shared) {
#pragma unroll 1
  for (int top = leaf; top < leaf + leaf_cols; top += Width) {
    ActiveColumns<Rows, Width> columns;
    columns.top = top;
    columns.count = min(Width, leaf + leaf_cols - top);
    if constexpr (Width < kLeafWidth) {
      if (top > leaf) solve_upper<Width>(window, place, leaf, top, columns.count, shared);
    }
    columns.load(window, place);
    if constexpr (Width < kLeafWidth) columns.subtract_leaf(window, place, leaf, shared);
    columns.factorize(window, exchange, place, step, shared);
    columns.store(window, place);
    if constexpr (Width < kLeafWidth)
      store_upper<Width>(window, place, leaf, top, columns.count, shared);
    __syncthreads();
    if constexpr (Exchange::kHasGroups)
      send_rows<Width>(window, exchange, place, top, columns.count, step, shared);
    if constexpr (Exchange::kHasPeers)
      exchange_rows_with_peers<Width>(window, exchange, place, top, columns.count, step, shared);
    else
      exchange_rows<Width>(window, place, top, columns.count, shared);
    step += Exchange::kMeetSteps;
    exchange.meet(place, step);
  }
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
