#pragma once

#include <bit>
#include <cstdint>

/// Numbers of 16 bits from and to FP32, rounded to nearest, ties to even. Integer code without
/// branches: loops over it vectorise on every processor.
namespace hpcx::formats {

inline constexpr std::uint32_t kSignless = 0x7fffffff;
inline constexpr std::uint32_t kInfinity = 0x7f800000;

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

}  // namespace hpcx::formats
