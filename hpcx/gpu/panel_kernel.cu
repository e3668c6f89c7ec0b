#include "gpu/panel_kernel.h"

#include "gpu/panel_columns.h"
#include "gpu/panel_groups.h"
#include "gpu/panel_shared.h"
#include "gpu/panel_update.h"

namespace hpcx::HPCX_GPU_NAMESPACE {
namespace {

/// Blocked Crout elimination by resident blocks, each the owner of a range of rows. Per leaf of
/// kLeafWidth columns: all earlier columns of the window are applied to the leaf (by each block to
/// its own rows), the leaf is factorized with one meeting of all blocks a column, its exchanges are
/// applied to the other columns, and the leaf's rows of U are computed.
template <int Rows, class Exchange>
__device__ __forceinline__ void factorize_columns(const PanelWindow& window,
                                                  const Exchange& exchange, PanelShared& shared) {
  const Place place(window);
  // The thread that reports zero columns.
  if (window.first == 0 && place.block() == 0 && place.thread() == kPanelThreads - 1)
    *window.zero_column = -1;

  unsigned step = window.sequence;
  const int end = min(window.last, window.rows);
#pragma unroll 1
  for (int leaf = window.first; leaf < end; leaf += kLeafWidth) {
    const int leaf_cols = min(kLeafWidth, end - leaf);
    if (leaf > window.first) update_leaf(window, place, leaf, leaf_cols, shared);
    factorize_leaf<Rows, register_columns(Rows)>(window, exchange, place, leaf, leaf_cols, step,
                                                 shared);
    solve_right(window, place, leaf, leaf_cols, shared);
    if (leaf + leaf_cols < end) {
      step += Exchange::kMeetSteps;
      exchange.meet(place, step);
    }
  }
}

template <int Rows>
__global__ void __launch_bounds__(kPanelThreads, 1) factorize_window(const PanelWindow window) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  factorize_columns<Rows>(window, GridExchange(window),
                          *reinterpret_cast<PanelShared*>(shared_memory));
}

/// The same by the blocks of all members of a team, each for its own device's rows.
template <int Rows>
__global__ void __launch_bounds__(kPanelThreads, 1)
    factorize_window_with_peers(const PanelWindow window, const HPCX_GRID_CONSTANT PanelTeam team) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  factorize_columns<Rows>(window, PeerExchange(window, team),
                          *reinterpret_cast<PanelShared*>(shared_memory));
}

/// The same where the team has several groups.
template <int Rows>
__global__ void __launch_bounds__(kPanelThreads, 1)
    factorize_window_with_groups(const PanelWindow window,
                                 const HPCX_GRID_CONSTANT PanelTeam team) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  factorize_columns<Rows>(window, GroupExchange(window, team),
                          *reinterpret_cast<PanelShared*>(shared_memory));
}

#if !defined(__HIP_PLATFORM_AMD__)

/// The same by the blocks of one cluster. Never launched on chips that have none.
template <int Rows>
__global__ void __launch_bounds__(kPanelThreads, 1)
    factorize_window_in_cluster(const PanelWindow window) {
#if defined(HPCX_PANEL_CLUSTER)
  extern __shared__ __align__(16) unsigned char shared_memory[];
  factorize_columns<Rows>(window, ClusterExchange(shared_memory + sizeof(PanelShared)),
                          *reinterpret_cast<PanelShared*>(shared_memory));
#endif
}

#endif

}  // namespace

const void* panel_kernel(int rows_per_thread) {
  switch (rows_per_thread) {
    case 2:
      return reinterpret_cast<const void*>(&factorize_window<2>);
    case 4:
      return reinterpret_cast<const void*>(&factorize_window<4>);
    case 8:
      return reinterpret_cast<const void*>(&factorize_window<8>);
    case 16:
      return reinterpret_cast<const void*>(&factorize_window<16>);
    case 32:
      return reinterpret_cast<const void*>(&factorize_window<32>);
  }
  return nullptr;
}

const void* team_panel_kernel(int rows_per_thread) {
  switch (rows_per_thread) {
    case 2:
      return reinterpret_cast<const void*>(&factorize_window_with_peers<2>);
    case 4:
      return reinterpret_cast<const void*>(&factorize_window_with_peers<4>);
    case 8:
      return reinterpret_cast<const void*>(&factorize_window_with_peers<8>);
    case 16:
      return reinterpret_cast<const void*>(&factorize_window_with_peers<16>);
    case 32:
      return reinterpret_cast<const void*>(&factorize_window_with_peers<32>);
  }
  return nullptr;
}

const void* group_panel_kernel(int rows_per_thread) {
  switch (rows_per_thread) {
    case 2:
      return reinterpret_cast<const void*>(&factorize_window_with_groups<2>);
    case 4:
      return reinterpret_cast<const void*>(&factorize_window_with_groups<4>);
    case 8:
      return reinterpret_cast<const void*>(&factorize_window_with_groups<8>);
    case 16:
      return reinterpret_cast<const void*>(&factorize_window_with_groups<16>);
    case 32:
      return reinterpret_cast<const void*>(&factorize_window_with_groups<32>);
  }
  return nullptr;
}

const void* cluster_panel_kernel([[maybe_unused]] int rows_per_thread) {
#if !defined(__HIP_PLATFORM_AMD__)
  switch (rows_per_thread) {
    case 1:
      return reinterpret_cast<const void*>(&factorize_window_in_cluster<1>);
    case 2:
      return reinterpret_cast<const void*>(&factorize_window_in_cluster<2>);
    case 4:
      return reinterpret_cast<const void*>(&factorize_window_in_cluster<4>);
  }
#endif
  return nullptr;
}

int panel_shared_bytes() {
  return static_cast<int>(sizeof(PanelShared));
}

int cluster_panel_shared_bytes() {
#if defined(HPCX_PANEL_CLUSTER)
  return panel_shared_bytes() + ClusterExchange::kWords * static_cast<int>(sizeof(std::uint64_t));
#else
  return 0;
#endif
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
