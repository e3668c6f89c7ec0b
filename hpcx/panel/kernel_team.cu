#include "panel/kernel.h"

#include "panel/groups.h"
#include "panel/window.h"

namespace hpcx::HPCX_GPU_NAMESPACE {
namespace {

/// Factorization of a window by the blocks of all members of a team, each for its own device's
/// rows.
template <int Rows, class Exchange>
__global__ void __launch_bounds__(kPanelThreads, 1)
    factorize_window_in_team(const PanelWindow window, const HPCX_GRID_CONSTANT PanelTeam team) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  factorize_columns<Rows>(window, Exchange(window, team),
                          *reinterpret_cast<PanelShared*>(shared_memory));
}

template <class Exchange>
const void* kernel_of(int rows_per_thread) {
  return kernel_for<2, kMaxRowsPerThread>(rows_per_thread, []<int Rows>() {
    return reinterpret_cast<const void*>(&factorize_window_in_team<Rows, Exchange>);
  });
}

}  // namespace

const void* team_panel_kernel(int rows_per_thread, bool several_groups) {
  return several_groups ? kernel_of<GroupExchange>(rows_per_thread)
                        : kernel_of<PeerExchange>(rows_per_thread);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
