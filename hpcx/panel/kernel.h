#pragma once

#include "panel/plan.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// The kernel that factorizes one window, for a number of rows a thread; nullptr if there is none.
/// Launch with kPanelThreads threads a block, panel_shared_bytes() of dynamic shared memory, one
/// PanelWindow by value, and not more blocks than are resident at once.
const void* panel_kernel(int rows_per_thread);
int panel_shared_bytes();

/// The same for one member of a team, with one PanelTeam after the PanelWindow. All members launch
/// the same number of blocks; those of all are resident at once, each on its device.
const void* team_panel_kernel(int rows_per_thread, bool several_groups);

/// The same for the blocks of one cluster; nullptr where the back end knows no clusters. Launch
/// with cluster_panel_shared_bytes() and all blocks in one cluster.
const void* cluster_panel_kernel(int rows_per_thread);
int cluster_panel_shared_bytes();

}  // namespace hpcx::HPCX_GPU_NAMESPACE
