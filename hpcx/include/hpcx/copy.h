#pragma once

#include "hpcx/error.h"
#include "hpcx/matrix_view.h"
#include "hpcx/stream.h"

namespace hpcx {

/// A copy of matrices of one shape and one layout as a copy of lines of bytes. Any leading
/// dimensions.
inline StridedCopy lines_of(ConstMatrixView source, MatrixView destination) {
  HPCX_ASSERT(source.rows == destination.rows && source.cols == destination.cols);
  if (source.empty()) return {};
  HPCX_ASSERT(source.layout == destination.layout);
  const bool by_columns = source.layout == Layout::ColumnMajor;
  const auto bytes = [](std::int64_t elements) {
    return static_cast<std::size_t>(elements) * sizeof(double);
  };
  return {.destination = destination.data,
          .destination_pitch = bytes(destination.ld),
          .source = source.data,
          .source_pitch = bytes(source.ld),
          .width = bytes(by_columns ? source.rows : source.cols),
          .height = static_cast<std::size_t>(by_columns ? source.cols : source.rows)};
}

/// destination = source, each in host, pinned or device memory. What changes the layout is
/// Kernels::copy, inside a device.
inline void copy(StreamRef stream, ConstMatrixView source, MatrixView destination) {
  const StridedCopy lines = lines_of(source, destination);
  if (lines.height > 0) stream.copy_2d(lines);
}

}  // namespace hpcx
