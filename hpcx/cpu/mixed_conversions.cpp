#include "cpu/mixed_conversions.h"

#include <algorithm>

#include "cpu/clones.h"
#include "mixed/formats.h"

namespace hpcx::cpu {

namespace {

HPCX_CLONES void fp16_to_float(const std::uint16_t* from, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = formats::float_from_fp16(from[i]);
}
HPCX_CLONES void bf16_to_float(const std::uint16_t* from, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = formats::float_from_bf16(from[i]);
}
HPCX_CLONES void float_to_fp16(const float* from, std::int64_t count, std::uint16_t* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = formats::fp16_from(from[i]);
}
HPCX_CLONES void float_to_bf16(const float* from, std::int64_t count, std::uint16_t* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = formats::bf16_from(from[i]);
}
/// to[i] := factor from[i] in FP32, or to odd for a second rounding.
HPCX_CLONES void double_to_float(const double* from, double factor, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = static_cast<float>(factor * from[i]);
}
HPCX_CLONES void double_to_odd(const double* from, double factor, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = formats::rounded_to_odd(factor * from[i]);
}

void widen(Precision precision, const void* from, std::int64_t count, float* to) {
  switch (precision) {
    case Precision::Fp16:
      return fp16_to_float(static_cast<const std::uint16_t*>(from), count, to);
    case Precision::Bf16:
      return bf16_to_float(static_cast<const std::uint16_t*>(from), count, to);
    case Precision::Fp32:
      std::copy_n(static_cast<const float*>(from), count, to);
  }
}

void narrow(const float* from, std::int64_t count, Precision precision, void* to) {
  switch (precision) {
    case Precision::Fp16:
      return float_to_fp16(from, count, static_cast<std::uint16_t*>(to));
    case Precision::Bf16:
      return float_to_bf16(from, count, static_cast<std::uint16_t*>(to));
    case Precision::Fp32:
      std::copy_n(from, count, static_cast<float*>(to));
  }
}

void convert_line(MixedView from, MixedView to, std::int64_t count) {
  if (to.precision == Precision::Fp32)
    return widen(from.precision, from.data, count, static_cast<float*>(to.data));
  if (from.precision == Precision::Fp32)
    return narrow(static_cast<const float*>(from.data), count, to.precision, to.data);
  float chunk[kChunk];
  for (std::int64_t i = 0; i < count; i += kChunk) {
    const std::int64_t some = std::min(kChunk, count - i);
    widen(from.precision, static_cast<const std::uint16_t*>(from.data) + i, some, chunk);
    narrow(chunk, some, to.precision, static_cast<std::uint16_t*>(to.data) + i);
  }
}

}  // namespace

void round_doubles(ConstVectorView from, double factor, Precision precision, void* to) {
  if (precision == Precision::Fp32)
    return double_to_float(from.data, factor, from.size, static_cast<float*>(to));
  float odd[kChunk];
  double_to_odd(from.data, factor, from.size, odd);
  narrow(odd, from.size, precision, to);
}

void convert_lines(MixedView from, MixedView to, std::int64_t first, std::int64_t count) {
  const MixedView source = from.layout == Layout::RowMajor ? from : from.transposed();
  const MixedView destination = to.layout == Layout::RowMajor ? to : to.transposed();
  for (std::int64_t i = first; i < first + count; ++i)
    convert_line(source.row_range(i, 1), destination.row_range(i, 1), source.cols);
}

FloatView shaped_as(MixedView a, float* room) {
  const std::int64_t ld = a.layout == Layout::RowMajor ? a.cols : a.rows;
  return {room, a.rows, a.cols, std::max<std::int64_t>(ld, 1), a.layout};
}

ConstFloatView as_floats(MixedView a, float* room) {
  if (a.precision == Precision::Fp32) return a.as<const float>();
  const FloatView copy = shaped_as(a, room);
  convert_all(a, mixed(copy));
  return copy;
}

}  // namespace hpcx::cpu
