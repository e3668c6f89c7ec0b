#pragma once

#include <cstddef>

#include "hpcx/stream.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// Copies between pinned host memory and a device up to this size are made by a kernel: a copy
/// engine takes copies of all streams one after the other, so that a small one would wait for the
/// large ones before it. Larger than the row lists of a panel of 2048 columns; the kernel needs few
/// blocks for it.
inline constexpr std::size_t kSmallCopyBytes = std::size_t{128} << 10;

/// Both addresses as the device sees them; some bytes, at most kSmallCopyBytes.
void launch_small_copy(gpuStream_t stream, const StridedCopy& lines);

}  // namespace hpcx::HPCX_GPU_NAMESPACE
