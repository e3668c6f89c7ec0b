#pragma once

#include <cstdint>
#include <memory>

#include "hpcx/device.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// The panel solver of GPUs: what Device::create_panel_solver() returns. `device` must be one of
/// this back end and outlive the solver.
std::unique_ptr<PanelSolver> create_panel_solver(Device& device, const PanelSolverSpec& spec);
/// What Device::panel_solver_bytes() returns.
std::int64_t panel_solver_bytes(const PanelSolverSpec& spec);

}  // namespace hpcx::HPCX_GPU_NAMESPACE
