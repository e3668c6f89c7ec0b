#pragma once

#include <cstdint>

#include "hpcx/panel.h"

namespace hpcx {

// Memory that GPUs take, for plans made without one.

/// Device::panel_solver_bytes() of every GPU.
std::int64_t gpu_panel_solver_bytes(const PanelSolverSpec& spec);

/// Device::stream_bytes() of most GPUs: the workspace of the BLAS, and words of the solves.
inline constexpr std::int64_t kUsualStreamBytes = (std::int64_t{32} << 20) + 8 * (8192 + 1);

}  // namespace hpcx
