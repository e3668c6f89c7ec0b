#pragma once

#include "panel/columns.h"
#include "panel/shared.h"
#include "panel/update.h"

/// The common part of the panel kernels, which differ in the communication of their blocks.
namespace hpcx::HPCX_GPU_NAMESPACE {

/// The kernel for so many rows a thread, of those for First, 2 First, ... Last; nullptr if there is
/// none.
template <int First, int Last, class Kernel>
const void* kernel_for(int rows_per_thread, Kernel kernel) {
  if (rows_per_thread == First) return kernel.template operator()<First>();
  if constexpr (First < Last) return kernel_for<2 * First, Last>(rows_per_thread, kernel);
  return nullptr;
}

/// Blocked Crout elimination by resident blocks, each the owner of a range of rows. Per leaf of
/// kLeafWidth columns: all earlier columns of the window are applied to the leaf (by each block to
/// its own rows), the leaf is factorized with one meeting of all blocks a column, its exchanges are
/// applied to the other columns, and the leaf's rows of U are computed.
template <int Rows, class Exchange>
__device__ __forceinline__ void factorize_columns(const PanelWindow& window,
                                                  const Exchange& exchange, PanelShared& shared) {
  const BlockPosition place(window, shared);
  // The thread that reports zero columns.
  if (window.first == 0 && place.block() == 0 && place.thread() == kPanelThreads - 1)
    *window.zero_column = -1;

  unsigned step = window.sequence;
  const int end = min(window.last, window.rows);
#pragma unroll 1
  for (int top = window.first; top < end; top += kLeafWidth) {
    const PanelColumns leaf{top, min(kLeafWidth, end - top)};
    if (top > window.first) update_leaf(place, leaf);
    factorize_leaf<Rows, register_columns(Rows)>(exchange, place, leaf, step);
    solve_right(place, leaf);
    if (leaf.end() < end) {
      step += Exchange::kMeetSteps;
      exchange.meet(place, step);
    }
  }
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
