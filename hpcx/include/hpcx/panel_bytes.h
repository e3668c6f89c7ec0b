#pragma once

#include <cstdint>

#include "hpcx/panel.h"

namespace hpcx {

/// Device::panel_solver_bytes() of every GPU, for plans without one.
std::int64_t gpu_panel_solver_bytes(const PanelSolverSpec& spec);

}  // namespace hpcx
