#include "panel/kernel.h"

#include "panel/groups.h"
#include "panel/window.h"

namespace hpcx::HPCX_GPU_NAMESPACE {
namespace {

/// Factorization of a window by the blocks of all members of a team of several groups.
template <int Rows>
__global__ void __launch_bounds__(kPanelThreads, 1)
    factorize_window_with_groups(const PanelWindow window,
                                 const HPCX_GRID_CONSTANT PanelTeam team) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  factorize_columns<Rows>(window, GroupExchange(window, team),
                          *reinterpret_cast<PanelShared*>(shared_memory));
}

}  // namespace

const void* group_panel_kernel(int rows_per_thread) {
  return kernel_for<2, kMaxRowsPerThread>(rows_per_thread, []<int Rows>() {
    return reinterpret_cast<const void*>(&factorize_window_with_groups<Rows>);
  });
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
