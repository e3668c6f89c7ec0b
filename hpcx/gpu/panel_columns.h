#pragma once

#include "gpu/panel_shared.h"
#include "gpu/panel_update.h"

/// The panel kernel's innermost factorization: a few columns, all rows, in registers.
namespace hpcx::HPCX_GPU_NAMESPACE {

/// Below this a pivot's reciprocal overflows; such pivots and what they divide are scaled first.
inline constexpr double kSmallestNormal = 2.2250738585072014e-308;
inline constexpr double kTinyScale = 0x1p600;

/// `Rows` rows a thread (kPanelThreads apart) of `Width` columns starting at column `top`, of which
/// `count` exist. The current column is always the first of the array: eliminating it moves all
/// others one place to the front and its multipliers to the end, so that the loop over columns need
/// not be unrolled and yet indexes registers with constants.
template <int Rows, int Width>
struct ActiveColumns {
  double value[Rows][Width];
  int top, count;

  // A thread's rows are told by their distance from its first one: a constant for each, which
  // comparisons have as an immediate, where the rows themselves would fill registers.
  __device__ __forceinline__ static int first_row(const Place& place) {
    return place.row_begin + place.thread();
  }
  __device__ __forceinline__ static constexpr int distance(int r) { return r * kPanelThreads; }

  __device__ __forceinline__ void load(const PanelWindow& window, const Place& place) {
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
  __device__ __forceinline__ void subtract_leaf(const PanelWindow& window, const Place& place,
                                                int leaf, const PanelShared& shared) {
    const int first = first_row(place);
    const int begin = top - first, end = place.row_end - first;
    const double* column = element(window, first, leaf);
    constexpr int kLoadsAhead = Rows < 8 ? 8 / Rows : 1;
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

  __device__ __forceinline__ void store(const PanelWindow& window, const Place& place) const {
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

  __device__ __forceinline__ Candidate best_of_thread(const Place& place, int column) const {
    const int first = first_row(place);
    const int begin = column - first, end = place.row_end - first;
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

  /// The thread that owns `row` publishes it, if it is one of this block's.
  __device__ __forceinline__ void publish_row(const Place& place, int row, std::uint64_t* to,
                                              unsigned step) const {
    if (row < place.row_begin || row >= place.row_end) return;
    const int wanted = row - first_row(place);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (distance(r) != wanted) continue;
#pragma unroll
      for (int c = 0; c < Width; ++c)
        publish_value(to + 2 * c, value[r][c], step);
    }
  }

  /// Exchanges rows `column` and `pivot` (both in shared memory) in the block's part, and
  /// eliminates the first column; `left` columns, itself included, are not yet finished.
  __device__ __forceinline__ void eliminate(const Place& place, int column, int pivot, int left,
                                            const PanelShared& shared) {
    const double diagonal = shared.pivot_row[0];
    const bool divides = fabs(diagonal) > 0.0;  // false for NaN
    const double scale = fabs(diagonal) < kSmallestNormal ? kTinyScale : 1.0;
    const double reciprocal = 1.0 / (diagonal * scale);
    const int first = first_row(place);
    const int at_column = column - first;
    const int at_pivot = pivot - first;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (distance(r) == at_pivot && at_pivot != at_column) {
#pragma unroll
        for (int c = 0; c < Width; ++c)
          value[r][c] = shared.displaced_row[c];
      }
      if (distance(r) == at_column && at_pivot != at_column) {
#pragma unroll
        for (int c = 0; c < Width; ++c)
          value[r][c] = shared.pivot_row[c];
      }
      const double current = value[r][0];
      const double multiplier = divides ? current * scale * reciprocal : current;
      const bool below = distance(r) > at_column;
      const double factor = below ? multiplier : 0.0;
      // Finished columns (from `left` on) hold multipliers, which the elimination must not touch.
#pragma unroll
      for (int c = 1; c < Width; ++c)
        value[r][c - 1] = value[r][c] - factor * (c < left ? shared.pivot_row[c] : 0.0);
      value[r][Width - 1] = below ? multiplier : current;
    }
  }

  /// Factorizes the columns; all blocks take part, and meet once a column. The last column's
  /// meeting also makes visible what the blocks wrote before.
  __device__ __forceinline__ void factorize(const PanelWindow& window, const Place& place,
                                            unsigned& step, PanelShared& shared) {
#pragma unroll 1
    for (int c = 0; c < count; ++c) {
      const int column = top + c;
      const bool last = c + 1 == count;
      ++step;
      publish_row(place, column, displaced_words(window, step), step);
      const Candidate of_block = reduce_block(place, best_of_thread(place, column), shared.of_warp);
      if (place.thread() == 0) {
        if (last) __threadfence();
        publish_candidate(candidate_words(window, step, place.block()), of_block, step);
      }
      if (of_block.row_complement != 0)
        publish_row(place, of_block.row(), row_words(window, step, place.block()), step);

      Candidate of_grid;
      for (int block = place.thread(); block < place.blocks(); block += kPanelThreads) {
        const Candidate other = await_candidate(candidate_words(window, step, block), step);
        if (of_grid.below(other)) of_grid = other;
      }
      if (last) __threadfence();
      of_grid = reduce_block(place, of_grid, shared.of_grid);
      const int pivot = of_grid.row();
      if (place.thread() < Width) {
        const int winner = (pivot - window.first) / window.rows_per_block;
        shared.pivot_row[place.thread()] =
            await_value(row_words(window, step, winner) + 2 * place.thread(), step);
      } else if (place.thread() >= kPanelThreads / 2 &&
                 place.thread() < kPanelThreads / 2 + Width && pivot >= place.row_begin &&
                 pivot < place.row_end) {
        const int i = place.thread() - kPanelThreads / 2;
        shared.displaced_row[i] = await_value(displaced_words(window, step) + 2 * i, step);
      }
      if (place.thread() == 0) shared.pivots[c] = pivot;
      __syncthreads();
      if (place.block() == 0 && place.thread() == 0) report(window, column, pivot, shared);
      eliminate(place, column, pivot, count - c, shared);
    }
  }

  __device__ __forceinline__ static void report(const PanelWindow& window, int column, int pivot,
                                                const PanelShared& shared) {
    window.pivots[column] = pivot;
    if (!(fabs(shared.pivot_row[0]) > 0.0) && *window.zero_column < 0) *window.zero_column = column;
  }
};

/// shared.upper := L^-1 A(leaf : top, top : top + count), each block for itself: rows of the leaf
/// that are final but for this.
template <int Width>
__device__ __forceinline__ void solve_upper(const PanelWindow& window, const Place& place, int leaf,
                                            int top, int count, PanelShared& shared) {
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
__device__ __forceinline__ void store_upper(const PanelWindow& window, const Place& place, int leaf,
                                            int top, int count, const PanelShared& shared) {
  if (place.block() != 0) return;
  for (int i = place.thread(); i < (top - leaf) * Width; i += kPanelThreads) {
    const int c = i % Width;
    if (c < count) *element(window, leaf + i / Width, top + c) = shared.upper[i];
  }
}

/// Factorizes the leaf [leaf, leaf + leaf_cols), `Width` columns at a time, and applies its row
/// exchanges to all other columns of the panel.
template <int Rows, int Width>
__device__ __forceinline__ void factorize_leaf(const PanelWindow& window, const Place& place,
                                               int leaf, int leaf_cols, unsigned& step,
                                               PanelShared& shared) {
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
    columns.factorize(window, place, step, shared);
    columns.store(window, place);
    if constexpr (Width < kLeafWidth)
      store_upper<Width>(window, place, leaf, top, columns.count, shared);
    __syncthreads();
    exchange_rows<Width>(window, place, top, columns.count, shared);
    meet(window, place, ++step);
  }
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
