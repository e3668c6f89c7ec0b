#include "panel/kernel.h"

#include "panel/exchange.h"
#include "panel/window.h"

namespace hpcx::HPCX_GPU_NAMESPACE {
namespace {

template <int Rows>
__global__ void __launch_bounds__(kPanelThreads, 1) factorize_window(const PanelWindow window) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  factorize_columns<Rows>(window, GridExchange(window),
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
  return kernel_for<2, kMaxRowsPerThread>(rows_per_thread, []<int Rows>() {
    return reinterpret_cast<const void*>(&factorize_window<Rows>);
  });
}

const void* cluster_panel_kernel([[maybe_unused]] int rows_per_thread) {
#if !defined(__HIP_PLATFORM_AMD__)
  return kernel_for<1, kMaxClusterRowsPerThread>(rows_per_thread, []<int Rows>() {
    return reinterpret_cast<const void*>(&factorize_window_in_cluster<Rows>);
  });
#else
  return nullptr;
#endif
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
