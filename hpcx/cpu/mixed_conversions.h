#pragma once

#include <memory>

#include "hpcx/mixed.h"

/// Number formats of the CPU device's mixed precision, in the calling thread.
namespace hpcx::cpu {

using FloatView = BasicMatrixView<float>;
using ConstFloatView = BasicMatrixView<const float>;

inline std::unique_ptr<float[]> float_room(std::int64_t count) {
  return std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(count));
}

inline constexpr std::int64_t kChunk = 2048;  ///< elements that are converted at a time, in L1

/// to[i] := factor from[i], rounded once; at most kChunk contiguous numbers.
void round_doubles(ConstVectorView from, double factor, Precision precision, void* to);

inline std::int64_t lines(MixedView a) {
  return a.layout == Layout::RowMajor ? a.rows : a.cols;
}
/// `count` lines of two matrices of the same layout.
void convert_lines(MixedView from, MixedView to, std::int64_t first, std::int64_t count);
inline void convert_all(MixedView from, MixedView to) {
  convert_lines(from, to, 0, lines(from));
}

inline MixedView mixed(FloatView a) {
  return {a.data, Precision::Fp32, a.rows, a.cols, a.ld, a.layout};
}
/// A dense matrix of the shape and layout of `a` in `room`.
FloatView shaped_as(MixedView a, float* room);
/// `a` itself if it is in FP32, otherwise its copy in `room`.
ConstFloatView as_floats(MixedView a, float* room);

}  // namespace hpcx::cpu
