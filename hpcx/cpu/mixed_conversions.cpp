#include "cpu/mixed_conversions.h"

#include <algorithm>
#include <bit>

#include "cpu/clones.h"

namespace hpcx::cpu {

namespace {

// Numbers of 16 bits from and to FP32, rounded to nearest, ties to even. Integer code without
// branches: loops over it vectorise on every processor.

constexpr std::uint32_t kSignless = 0x7fffffff;
constexpr std::uint32_t kInfinity = 0x7f800000;

/// A NaN stays one, without its payload; what is too large becomes infinity.
constexpr std::uint16_t fp16_from(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & kSignless;
  constexpr std::uint32_t kTooLarge = 0x47800000;        // 2^16
  constexpr std::uint32_t kSmallestNormal = 0x38800000;  // 2^-14
  constexpr std::uint32_t kRebias = (127 - 15) << 23;
  const std::uint32_t bounded = magnitude < kTooLarge ? magnitude : kTooLarge;
  const std::uint32_t normal = (bounded - kRebias + 0xfff + (bounded >> 13 & 1)) >> 13;
  // The last bit of 1/2 in FP32 is the smallest subnormal number of FP16: the sum rounds there.
  const std::uint32_t tiny = std::bit_cast<std::uint32_t>(std::bit_cast<float>(bounded) + 0.5F) -
                             std::bit_cast<std::uint32_t>(0.5F);
  const std::uint32_t number = magnitude < kSmallestNormal ? tiny : normal;
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000) |
                                    (magnitude > kInfinity ? 0x7e00 : number));
}

constexpr float float_from_fp16(std::uint16_t bits) {
  const std::uint32_t magnitude = bits & 0x7fffu;
  constexpr std::uint32_t kRebias = (127 - 15) << 23;
  const std::uint32_t normal = (magnitude << 13) + kRebias;
  const std::uint32_t special = magnitude << 13 | kInfinity;
  const auto tiny = std::bit_cast<std::uint32_t>(
      std::bit_cast<float>(std::bit_cast<std::uint32_t>(0.5F) + (magnitude & 0x3ff)) - 0.5F);
  const std::uint32_t number = magnitude < 0x400 ? tiny : magnitude < 0x7c00 ? normal : special;
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits & 0x8000u) << 16 | number);
}

constexpr std::uint16_t bf16_from(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  const std::uint32_t quiet = bits >> 16 | 0x40;
  return static_cast<std::uint16_t>((bits & kSignless) > kInfinity ? quiet : rounded);
}

constexpr float float_from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// `value` in FP32, truncated, its last bit set if anything was lost: rounded again to fewer bits,
/// this gives what one rounding of `value` gives.
constexpr float rounded_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  const double magnitude = value < 0 ? -value : value;
  const double back_magnitude = back < 0 ? -back : back;
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  bits -= back_magnitude > magnitude ? 1u : 0u;
  bits |= back_magnitude != magnitude ? 1u : 0u;  // of a NaN: it stays one
  return std::bit_cast<float>(bits);
}

HPCX_CLONES void fp16_to_float(const std::uint16_t* from, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = float_from_fp16(from[i]);
}
HPCX_CLONES void bf16_to_float(const std::uint16_t* from, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = float_from_bf16(from[i]);
}
HPCX_CLONES void float_to_fp16(const float* from, std::int64_t count, std::uint16_t* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = fp16_from(from[i]);
}
HPCX_CLONES void float_to_bf16(const float* from, std::int64_t count, std::uint16_t* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = bf16_from(from[i]);
}
/// to[i] := factor from[i] in FP32, or to odd for a second rounding.
HPCX_CLONES void double_to_float(const double* from, double factor, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = static_cast<float>(factor * from[i]);
}
HPCX_CLONES void double_to_odd(const double* from, double factor, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = rounded_to_odd(factor * from[i]);
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
