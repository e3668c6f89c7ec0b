#pragma once

#include "panel/shared.h"

/// The panel kernel's matrix products and row exchanges between register-resident columns.
namespace hpcx::HPCX_GPU_NAMESPACE {

/// staged(k, c) := U(first_row + k, leaf.top + c) for k < depth, zero beside the leaf.
__device__ __forceinline__ void stage_upper(const BlockPosition& place, int first_row, int depth,
                                            PanelColumns leaf) {
  for (int c = place.warp(); c < kLeafWidth; c += kWarps) {
    const double* source = place.element(first_row, leaf.top + c);
#pragma unroll 8
    for (int k = place.lane(); k < depth; k += kWarp)
      place.shared.staged[c * kStagedStride + k] =
          c < leaf.count ? load_shared_by_grid(source + k) : 0.0;
  }
}

#if defined(HPCX_PANEL_MMA)

inline constexpr int kWarpRows = 32;
inline constexpr int kStepDepth = 16;

/// One warp's share of a product: 32 rows by a leaf's columns.
struct WarpProduct {
  double sum[2][kLeafWidth / 8][4] = {};
  int row_offset[4];
  const double* left;

  /// Rows past the last are read from the last, and never stored.
  __device__ __forceinline__ WarpProduct(const BlockPosition& place, int first_row) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      row_offset[i] = min(first_row + 8 * i + place.lane() / 4, place.window.rows - 1);
    left = place.window.a + 4 * (place.lane() % 4) * place.window.ld;
  }

  // The inner index is permuted alike in both operands: lane t of four holds 4 t ... 4 t + 3.
  __device__ __forceinline__ void load_left(const BlockPosition& place, int col,
                                            double (&a)[2][8]) const {
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const double* column = left + (col + q) * place.window.ld;
#pragma unroll
      for (int i = 0; i < 4; ++i)
        a[i / 2][2 * q + i % 2] = load_shared_by_grid(column + row_offset[i]);
    }
  }

  __device__ __forceinline__ void accumulate(const BlockPosition& place, int k,
                                             const double (&a)[2][8]) {
    const double* base =
        place.shared.staged + (place.lane() / 4) * kStagedStride + k + 4 * (place.lane() % 4);
#pragma unroll
    for (int n = 0; n < kLeafWidth / 8; ++n) {
      const double2 b01 = *reinterpret_cast<const double2*>(base + n * 8 * kStagedStride);
      const double2 b23 = *reinterpret_cast<const double2*>(base + n * 8 * kStagedStride + 2);
      const double b[4] = {b01.x, b01.y, b23.x, b23.y};
      multiply_add(sum[0][n], a[0], b);
      multiply_add(sum[1][n], a[1], b);
    }
  }

  /// sum += L(:, first_col : first_col + depth) staged; columns of two further steps are on their
  /// way from memory while the tensor cores work on one.
  __device__ __forceinline__ void run(const BlockPosition& place, int first_col, int depth) {
    double a[3][2][8];
    load_left(place, first_col, a[0]);
    load_left(place, first_col + kStepDepth, a[1]);
#pragma unroll 1
    for (int k = 0; k < depth; k += 3 * kStepDepth) {
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        const int now = k + i * kStepDepth;
        if (now >= depth) break;
        const int ahead = now + 2 * kStepDepth;
        if (ahead < depth) load_left(place, first_col + ahead, a[(i + 2) % 3]);
        accumulate(place, now, a[i]);
      }
    }
  }

  __device__ __forceinline__ void subtract_from(const BlockPosition& place, int first_row,
                                                PanelColumns leaf) const {
    const int row = first_row + place.lane() / 4;
#pragma unroll
    for (int m = 0; m < 2; ++m) {
#pragma unroll
      for (int n = 0; n < kLeafWidth / 8; ++n) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int r = row + 16 * m + 8 * (i / 2);
          const int c = 8 * n + 2 * (place.lane() % 4) + i % 2;
          if (r < place.row_end && c < leaf.count) *place.element(r, leaf.top + c) -= sum[m][n][i];
        }
      }
    }
  }
};

#else

inline constexpr int kWarpRows = kWarp;

/// One warp's share of a product: a row a thread by a leaf's columns.
struct WarpProduct {
  double sum[kLeafWidth] = {};
  const double* left;
  int row;

  __device__ __forceinline__ WarpProduct(const BlockPosition& place, int first_row)
      : row(first_row + place.lane()) {
    left = place.window.a + min(row, place.window.rows - 1);
  }

  __device__ __forceinline__ void run(const BlockPosition& place, int first_col, int depth) {
    const double* const staged = place.shared.staged;
#pragma unroll 2
    for (int k = 0; k < depth; k += 2) {
      const double a0 = load_shared_by_grid(left + (first_col + k) * place.window.ld);
      const double a1 = load_shared_by_grid(left + (first_col + k + 1) * place.window.ld);
#pragma unroll
      for (int c = 0; c < kLeafWidth; ++c) {
        sum[c] += a0 * staged[c * kStagedStride + k];
        sum[c] += a1 * staged[c * kStagedStride + k + 1];
      }
    }
  }

  __device__ __forceinline__ void subtract_from(const BlockPosition& place, int,
                                                PanelColumns leaf) const {
    if (row >= place.row_end) return;
#pragma unroll
    for (int c = 0; c < kLeafWidth; ++c)
      if (c < leaf.count) *place.element(row, leaf.top + c) -= sum[c];
  }
};

#endif

/// A(own, leaf) -= L(own, first : leaf) U(first : leaf, leaf) for the block's rows from the leaf's
/// first on. No other block is needed, and none may change these rows meanwhile.
__device__ __forceinline__ void update_leaf(const BlockPosition& place, PanelColumns leaf) {
  const int begin = max(place.row_begin, leaf.top), first = place.window.first;
  const int depth = leaf.top - first;
  for (int base = begin; base < place.row_end; base += kWarps * kWarpRows) {
    const int first_row = base + place.warp() * kWarpRows;
    const bool has_rows = first_row < place.row_end;
    WarpProduct product(place, first_row);
    for (int k = 0; k < depth; k += kStagedDepth) {
      const int step = min(kStagedDepth, depth - k);
      if (depth > kStagedDepth || base == begin) {
        __syncthreads();
        stage_upper(place, first + k, step, leaf);
        __syncthreads();
      }
      if (has_rows) product.run(place, first + k, step);
    }
    if (has_rows) product.subtract_from(place, first_row, leaf);
  }
  __syncthreads();
}

/// shared.lower := the strict lower triangle of so many columns, at most a leaf's, zero elsewhere.
__device__ __forceinline__ void load_lower(const BlockPosition& place, PanelColumns columns) {
  for (int i = place.thread(); i < kLeafWidth * kLeafWidth; i += kPanelThreads) {
    const int row = i % kLeafWidth, col = i / kLeafWidth;
    place.shared.lower[row * kLowerStride + col] =
        col < row && row < columns.count
            ? load_shared_by_grid(place.element(columns.top + row, columns.top + col))
            : 0.0;
  }
}

/// Solves L x = b with the unit lower triangle in shared memory; lane i of a warp holds element i.
__device__ __forceinline__ double solve_lower(const BlockPosition& place, int size, double value) {
#pragma unroll
  for (int k = 0; k + 1 < kLeafWidth; ++k) {
    const double solved = shuffle(value, k);
    if (k + 1 < size && place.lane() > k)
      value -= place.shared.lower[place.lane() * kLowerStride + k] * solved;
  }
  return value;
}

/// U(leaf, right) := L^-1 (A(leaf, right) - L(leaf, start : leaf) U(start : leaf, right)) for all
/// columns of the panel right of the leaf; a warp takes a few columns, a lane one row of them.
__device__ __forceinline__ void solve_right(const BlockPosition& place, PanelColumns leaf) {
  const PanelWindow& window = place.window;
  const int right = leaf.end();
  const int groups = (window.cols - right + kRightColumns - 1) / kRightColumns;
  if (place.block() >= groups) return;
  __syncthreads();
  load_lower(place, leaf);
  __syncthreads();
  // Rows past the leaf's last only exist where the panel ends: they are read, and never stored.
  const int row = min(leaf.top + place.lane(), window.rows - 1);
  const double* left = place.element(row, 0);
  double* above = place.shared.right + place.warp() * kRightColumns * kLeafWidth;
  const int stride = place.blocks() * kWarps;
  for (int g = place.warp() * place.blocks() + place.block(); g < groups; g += stride) {
    const int first_col = right + g * kRightColumns;
    const int cols = min(kRightColumns, window.cols - first_col);
    double value[kRightColumns];
#pragma unroll
    for (int c = 0; c < kRightColumns; ++c)
      value[c] = c < cols ? load_shared_by_grid(place.element(row, first_col + c)) : 0.0;
#pragma unroll 1
    for (int k = window.update_start[first_col / window.width]; k < leaf.top; k += kLeafWidth) {
      double l[kLeafWidth];
#pragma unroll
      for (int c = 0; c < kRightColumns; ++c)
        above[c * kLeafWidth + place.lane()] =
            c < cols ? load_shared_by_grid(place.element(k + place.lane(), first_col + c)) : 0.0;
#pragma unroll
      for (int i = 0; i < kLeafWidth; ++i)
        l[i] = load_shared_by_grid(left + (k + i) * window.ld);
      sync_warp();
#pragma unroll
      for (int i = 0; i < kLeafWidth; i += 2) {
#pragma unroll
        for (int c = 0; c < kRightColumns; ++c) {
          const double2 u = *reinterpret_cast<const double2*>(above + c * kLeafWidth + i);
          value[c] -= l[i] * u.x;
          value[c] -= l[i + 1] * u.y;
        }
      }
      sync_warp();
    }
#pragma unroll
    for (int k = 0; k + 1 < kLeafWidth; ++k) {
      const double l = place.shared.lower[place.lane() * kLowerStride + k];
#pragma unroll
      for (int c = 0; c < kRightColumns; ++c) {
        const double solved = shuffle(value[c], k);
        if (place.lane() > k) value[c] -= l * solved;
      }
    }
#pragma unroll
    for (int c = 0; c < kRightColumns; ++c)
      if (place.lane() < leaf.count && c < cols)
        *place.element(leaf.top + place.lane(), first_col + c) = value[c];
  }
}

/// The row whose contents the exchanges in shared.pivots bring to `row`: they are followed
/// backwards from it.
__device__ __forceinline__ int row_before(int row, PanelColumns columns,
                                          const PanelShared& shared) {
  for (int k = columns.count - 1; k >= 0; --k) {
    const int pivot = shared.pivots[k], top = columns.top + k;
    row = row == top ? pivot : row == pivot ? top : row;
  }
  return row;
}

/// Applies the exchanges in shared.pivots, of rows top, top + 1, ..., to all columns of the panel
/// but the given ones, each column by one block. `Width` is at least the number of the given.
template <int Width>
__device__ __forceinline__ void exchange_rows(const BlockPosition& place, PanelColumns columns) {
  const auto [top, count] = columns;
  constexpr int kSlots = 2 * Width;
  constexpr int kAtOnce = kPanelThreads / kSlots;
  constexpr int kDeep = 8;
  const int slot = place.thread() % kSlots;
  const int index = slot % Width;
  const int target = index >= count ? 0 : slot < Width ? top + index : place.shared.pivots[index];
  const int source = row_before(target, columns, place.shared);
  const bool moves = index < count && source != target;
  const int others = place.window.cols - count;
  const int stride = place.blocks() * kAtOnce;
  for (int base = place.block() * kAtOnce; base < others; base += kDeep * stride) {
    double value[kDeep] = {};
#pragma unroll
    for (int i = 0; i < kDeep; ++i) {
      const int other = base + i * stride + place.thread() / kSlots;
      const int col = columns.outside(other);
      if (moves && other < others) value[i] = load_shared_by_grid(place.element(source, col));
    }
    // Another thread's source is this one's target.
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kDeep; ++i) {
      const int other = base + i * stride + place.thread() / kSlots;
      const int col = columns.outside(other);
      if (moves && other < others) *place.element(target, col) = value[i];
    }
  }
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
