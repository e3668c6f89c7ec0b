#pragma once

#include "gpu/launch.h"
#include "ladder/ladder.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

inline constexpr int kMostStages = 4;

/// The rungs by hand: Elements with blocks of 4 x 4, 8 x 8, 16 x 16 or 32 x 32 threads, Tiles with
/// 1 to kMostStages stages.
void launch_product(gpuStream_t stream, LadderRung rung, const LadderProduct& product);

}  // namespace hpcx::HPCX_GPU_NAMESPACE
