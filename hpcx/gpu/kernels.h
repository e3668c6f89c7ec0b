#pragma once

#include <cstddef>
#include <memory>

#include "hpcx/kernels.h"
#include "hpcx/stream.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// The kernels of GPUs; every operation is a method in one of the kernels_*.cu files.
class GpuKernels final : public Kernels {
 public:
  void generate(StreamRef stream, const GlobalPart& part, MatrixView tile) override;
  void fill(StreamRef stream, double value, MatrixView destination) override;
  void copy(StreamRef stream, ConstMatrixView source, MatrixView destination) override;
  void move_rows(StreamRef stream, const RowMoves& moves) override;
  void invert_unit_lower(StreamRef stream, ConstMatrixView lower, MatrixView inverse) override;
  void row_sums(StreamRef stream, ConstMatrixView a, double* sums) override;
  void column_sums(StreamRef stream, ConstMatrixView a, double* sums) override;
};

/// a := factor a; a factor of zero writes zeros whatever was there. `a` ColumnMajor.
void scale(gpuStream_t stream, double factor, MatrixView a);

/// Copies between pinned host memory and a device up to this size are made by a kernel: a copy
/// engine takes copies of all streams one after the other, so that a small one would wait for the
/// large ones before it. Larger than the row lists of a panel of 2048 columns; the kernel needs few
/// blocks for it.
inline constexpr std::size_t kSmallCopyBytes = std::size_t{128} << 10;

/// Both addresses as the device sees them; some bytes, at most kSmallCopyBytes.
void launch_small_copy(gpuStream_t stream, const StridedCopy& lines);

/// The device of the calling thread can run the kernels of this build; otherwise the runtime's
/// code.
gpuError_t probe_kernels();

}  // namespace hpcx::HPCX_GPU_NAMESPACE
