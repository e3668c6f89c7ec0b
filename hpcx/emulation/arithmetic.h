#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "hpcx/emulation.h"

// The arithmetic of the Ozaki scheme II, element by element, the same source for all devices. Every
// step is exact, in integers or in doubles that hold integers, up to the last three operations of
// reconstruct() and subtract_scaled(), whose order is fixed and which are never contracted.

#ifdef __CUDACC__
#define HPCX_EMULATION_FUNCTION __host__ __device__ inline
#else
#define HPCX_EMULATION_FUNCTION inline
#endif

namespace hpcx::emulation {

__extension__ using Wide = unsigned __int128;

/// Constants that reduce an integer modulo m.
struct Reduction {
  std::int32_t modulus = 1;
  std::int32_t reciprocal = 0;  ///< 2^38 / m, rounded
  std::int32_t power22 = 0;     ///< 2^22 modulo m
  std::int32_t power44 = 0;     ///< 2^44 modulo m
};

/// An integer below 2^126 in magnitude as a sum of three doubles, the first two of which are
/// multiples of 2^(bits - 42) and 2^(bits - 84).
struct ThreeParts {
  double high = 0, middle = 0, low = 0;
};

/// Constants of a number of moduli; M is their product.
struct Constants {
  int moduli = 0;
  Wide norm_limit = 0;    ///< of the sum of squares of a line's integers, before they are rounded
  double reciprocal = 0;  ///< 1 / M
  ThreeParts product{};   ///< M
  std::array<Reduction, kMostModuli> reductions{};
  std::array<ThreeParts, kMostModuli>
      weights{};  ///< 1 modulo m_i, 0 modulo the others, below M / 2
};

constexpr int bit_length(Wide value) {
  int bits = 0;
  for (; value != 0; value >>= 1)
    ++bits;
  return bits;
}

/// The integer nearest to v / m, for |v| < 2^30; no tie for odd m, upwards for even m.
HPCX_EMULATION_FUNCTION constexpr std::int32_t nearest_multiple(std::int32_t v,
                                                                std::int32_t reciprocal) {
#ifdef __CUDA_ARCH__
  const std::int32_t high = __mulhi(v, reciprocal);
#else
  const auto high = static_cast<std::int32_t>((std::int64_t{v} * reciprocal) >> 32);
#endif
  return (high + 32) >> 6;
}

/// The residue of v in [-m/2, m/2), |v| < 2^30.
HPCX_EMULATION_FUNCTION constexpr std::int32_t residue(std::int32_t v, std::int32_t modulus,
                                                       std::int32_t reciprocal) {
  return v - nearest_multiple(v, reciprocal) * modulus;
}

/// An integer below 2^63 in magnitude as low + 2^22 middle + 2^44 high.
struct Pieces {
  std::int32_t low, middle, high;
};
HPCX_EMULATION_FUNCTION constexpr Pieces pieces_of(std::int64_t x) {
  constexpr std::int64_t kMask = (1 << 22) - 1;
  return {static_cast<std::int32_t>(x & kMask), static_cast<std::int32_t>((x >> 22) & kMask),
          static_cast<std::int32_t>(x >> 44)};
}
HPCX_EMULATION_FUNCTION constexpr std::int32_t residue(Pieces x, const Reduction& m) {
  // |.| < 2^22 + 2^22 2^7 + 2^19 2^7 < 2^30
  return residue(x.low + x.middle * m.power22 + x.high * m.power44, m.modulus, m.reciprocal);
}

constexpr ThreeParts three_parts(Wide magnitude, bool negative, int bits) {
  const int high_shift = bits - 42, middle_shift = bits - 84;
  const auto nearest = [](Wide value, int shift) {
    return static_cast<std::int64_t>((value + (Wide{1} << (shift - 1))) >> shift);
  };
  const auto power = [](int exponent) {
    double value = 1;
    for (int i = 0; i < exponent; ++i)
      value *= 2;
    return value;
  };
  const std::int64_t high = nearest(magnitude, high_shift);
  // The rest may be negative: Wide wraps, and so does its reading as a signed number.
  __extension__ using Signed = __int128;
  const auto rest = static_cast<Signed>(magnitude - (static_cast<Wide>(high) << high_shift));
  const Signed half = Signed{1} << (middle_shift - 1);
  const auto middle = static_cast<std::int64_t>((rest + half) >> middle_shift);
  const auto low = static_cast<std::int64_t>(rest - Signed{middle} * (Signed{1} << middle_shift));
  const double sign = negative ? -1 : 1;
  return {sign * static_cast<double>(high) * power(high_shift),
          sign * static_cast<double>(middle) * power(middle_shift),
          sign * static_cast<double>(low)};
}

constexpr Constants constants_of(int moduli) {
  Constants c;
  c.moduli = moduli;
  Wide product = 1;
  for (int i = 0; i < moduli; ++i)
    product *= static_cast<Wide>(kModuli[static_cast<std::size_t>(i)]);
  const int bits = bit_length(product);
  c.product = three_parts(product, false, bits);
  c.reciprocal = 1 / (c.product.high + (c.product.middle + c.product.low));
  // The product of two lines' norms is at most M / 2 (1 - 2^-19), rounding included: 2^-18 pays
  // for it too, since norms are above 2^46 and rounding adds at most 128 to them. The distance from
  // M / 2 is what makes the quotient in reconstruct() certain.
  c.norm_limit = product / 2 - (product >> 19);
  for (std::size_t i = 0; i < static_cast<std::size_t>(moduli); ++i) {
    const int m = kModuli[i];
    const auto symmetric = [m](std::int64_t v) {
      const auto r = static_cast<std::int32_t>(v % m);
      return 2 * r >= m ? r - m : r;
    };
    c.reductions[i] = {
        .modulus = m,
        .reciprocal = static_cast<std::int32_t>(((std::int64_t{1} << 39) / m + 1) / 2),
        .power22 = symmetric(std::int64_t{1} << 22),
        .power44 = symmetric(std::int64_t{1} << 44)};
    const Wide others = product / static_cast<Wide>(m);
    int inverse = 1;
    while (static_cast<int>(others * static_cast<Wide>(inverse) % static_cast<Wide>(m)) != 1)
      ++inverse;
    const bool negative = 2 * inverse > m;
    c.weights[i] =
        three_parts(others * static_cast<Wide>(negative ? m - inverse : inverse), negative, bits);
  }
  return c;
}

/// By number of moduli, from kFewestModuli on.
inline constexpr std::array<Constants, kMostModuli - kFewestModuli + 1> kConstants = [] {
  std::array<Constants, kMostModuli - kFewestModuli + 1> all;
  for (int n = kFewestModuli; n <= kMostModuli; ++n)
    all[static_cast<std::size_t>(n - kFewestModuli)] = constants_of(n);
  return all;
}();
constexpr const Constants& constants(int moduli) {
  return kConstants[static_cast<std::size_t>(moduli - kFewestModuli)];
}

// --- Scaling of a line ---------------------------------------------------------------------------

/// Exponents of lines that are not all finite.
inline constexpr std::int32_t kNotFinite = 0x7fffffff;
/// Exponent of a line of zeros in the first pass.
inline constexpr std::int32_t kAllZero = -0x7fffffff;

HPCX_EMULATION_FUNCTION std::uint64_t bits_of(double x) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint64_t>(__double_as_longlong(x));
#else
  return std::bit_cast<std::uint64_t>(x);
#endif
}
HPCX_EMULATION_FUNCTION double double_of(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return std::bit_cast<double>(bits);
#endif
}

/// 2^exponent, -1022 <= exponent <= 1023.
HPCX_EMULATION_FUNCTION double power_of_two(std::int32_t exponent) {
  return double_of(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// A magnitude as an upper bound head 2^(exponent - 21), 2^20 < head <= 2^21, of zero head = 0.
struct Magnitude {
  std::int32_t exponent;
  std::uint32_t head;
};
HPCX_EMULATION_FUNCTION Magnitude magnitude_of(double x) {
  std::int32_t offset = -1022;
  std::uint32_t high = static_cast<std::uint32_t>(bits_of(x) >> 32) & 0x7fffffff;
  if (high < 0x00100000) {  // zero or denormal
    if (x == 0) return {kAllZero, 0};
    high = static_cast<std::uint32_t>(bits_of(x * 0x1p64) >> 32) & 0x7fffffff;
    offset -= 64;
  }
  const auto biased = static_cast<std::int32_t>(high >> 20);
  if (biased == 0x7ff) return {kNotFinite, 0};
  return {biased + offset, ((high & 0xfffff) | 0x100000) + 1};
}

/// The square of an upper bound of |x| 2^(21 - largest), where |x| < 2^largest.
HPCX_EMULATION_FUNCTION std::uint64_t bounded_square(double x, std::int32_t largest) {
  const Magnitude m = magnitude_of(x);
  if (m.head == 0) return 0;
  const std::int32_t shift = largest - m.exponent;
  const std::uint64_t head = (shift < 32 ? (m.head - 1) >> shift : 0) + 1;
  return head * head;
}

/// The largest exponent with which the line's integers keep to the limit: `squares` is the sum of
/// bounded_square() along the line.
HPCX_EMULATION_FUNCTION std::int32_t line_exponent(std::int32_t largest, std::uint64_t squares,
                                                   Wide norm_limit) {
  if (largest == kNotFinite) return kNotFinite;
  if (squares == 0) return 0;
  // The largest even w with squares 2^w <= limit.
  std::int32_t w = 0;
  while (w < 128 && (norm_limit >> w) >= squares)
    ++w;
  --w;
  return (w & ~1) / 2 + 21 - largest;
}

/// x 2^exponent, rounded to the nearest integer, ties to even.
HPCX_EMULATION_FUNCTION std::int64_t scaled_integer(double x, double first, double second) {
  const double scaled = x * first * second;
#ifdef __CUDA_ARCH__
  return __double2ll_rn(scaled);
#else
  return std::llrint(scaled);
#endif
}
/// The factors for scaled_integer(): one alone may be beyond the range of a double.
HPCX_EMULATION_FUNCTION double first_factor(std::int32_t exponent) {
  return power_of_two(exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent);
}
HPCX_EMULATION_FUNCTION double second_factor(std::int32_t exponent) {
  return power_of_two(exponent > 1000 ? exponent - 1000 : exponent < -1000 ? exponent + 1000 : 0);
}

// --- Residues as numbers of FP8 ------------------------------------------------------------------

// E4M3 holds the integers up to 16 in magnitude. A residue is 16 high + low; both digits and their
// sum are among these, and three products of such numbers make one of residues (Karatsuba). Their
// sums over kDeepestEmulation terms are exact in FP32: none exceeds 2^24.

struct Digits {
  std::int32_t high, low;
};
HPCX_EMULATION_FUNCTION constexpr Digits digits_of(std::int32_t residue) {
  const std::int32_t high = (residue + 8) >> 4;
  return {high, residue - 16 * high};
}
/// The product of residues from those of their digits and of the digits' sums.
HPCX_EMULATION_FUNCTION constexpr std::int32_t product_of_digits(std::int32_t highs,
                                                                 std::int32_t lows,
                                                                 std::int32_t sums) {
  return 256 * highs + 16 * (sums - highs - lows) + lows;
}

constexpr std::uint8_t e4m3_from(std::int32_t integer) {
  const auto magnitude = static_cast<unsigned>(integer < 0 ? -integer : integer);
  if (magnitude == 0) return 0;
  const int exponent = std::bit_width(magnitude) - 1;
  const unsigned number =
      static_cast<unsigned>(exponent + 7) << 3 | (magnitude << 3 >> exponent & 7);
  return static_cast<std::uint8_t>((integer < 0 ? 0x80u : 0u) | number);
}
constexpr float float_from_e4m3(std::uint8_t bits) {
  const int exponent = bits >> 3 & 15, fraction = bits & 7;
  const int power = (exponent == 0 ? 1 : exponent) - 10;
  const auto integer = static_cast<float>((exponent == 0 ? 0 : 8) + fraction);
  const float magnitude = power < 0 ? integer / static_cast<float>(1 << -power)
                                    : integer * static_cast<float>(1 << power);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

// --- Reconstruction ------------------------------------------------------------------------------

/// The sums over all moduli of residue times weight, part by part: exact, being integers times one
/// power of two, of at most 53 bits.
struct PartSums {
  double high = 0, middle = 0, low = 0;

  HPCX_EMULATION_FUNCTION void add(double residue, const ThreeParts& weight) {
    high += residue * weight.high;
    middle += residue * weight.middle;
    low += residue * weight.low;
  }
};

/// The integer with these residues that is below M / 2 in magnitude, rounded to a double.
HPCX_EMULATION_FUNCTION double reconstruct(const PartSums& sums, const ThreeParts& product,
                                           double reciprocal) {
  // The nearest integer by adding and taking away 3 2^51: |quotient| < 2^11.
  constexpr double kRound = 0x1.8p52;
  const double quotient = sums.high * reciprocal + kRound - kRound;
  const double high = sums.high - quotient * product.high;        // exact
  const double middle = sums.middle - quotient * product.middle;  // exact
  const double low = sums.low - quotient * product.low;           // exact
  // sum + error = high + middle, exactly (Knuth).
  const double sum = high + middle;
  const double back = sum - high;
  const double error = (high - (sum - back)) + (middle - back);
  return sum + (error + low);
}

/// c - value 2^-exponent.
HPCX_EMULATION_FUNCTION double subtract_scaled(double c, double value, std::int32_t exponent) {
  if (value == 0) return c;
  std::int32_t rest = -exponent;
  if (rest < -1000 || rest > 1000) {  // beyond the range of one factor
    while (rest < -1000 && value != 0) {
      value *= power_of_two(-1000);
      rest += 1000;
    }
    while (rest > 1000 && value != 0) {
      value *= power_of_two(1000);
      rest -= 1000;
    }
    if (value == 0) return c;
  }
#ifdef __CUDA_ARCH__
  return __dsub_rn(c, __dmul_rn(value, power_of_two(rest)));
#else
  return c - value * power_of_two(rest);
#endif
}

/// The exponent of an element of C, kNotFinite where its line of A or B has one that is not.
HPCX_EMULATION_FUNCTION std::int32_t element_exponent(std::int32_t of_a, std::int32_t of_b) {
  return of_a == kNotFinite || of_b == kNotFinite ? kNotFinite : of_a + of_b;
}

}  // namespace hpcx::emulation
