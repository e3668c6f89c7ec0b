#include "emulation/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace hpcx::emulation {
namespace {

__extension__ using Signed = __int128;

Signed product_of(int moduli) {
  Signed product = 1;
  for (int i = 0; i < moduli; ++i)
    product *= kModuli[static_cast<std::size_t>(i)];
  return product;
}

/// The result of reconstruct() for the residues of `value`.
double through_residues(Signed value, int moduli) {
  const Constants& c = constants(moduli);
  PartSums sums;
  for (std::size_t i = 0; i < static_cast<std::size_t>(moduli); ++i) {
    const int m = kModuli[i];
    int r = static_cast<int>(value % m);
    if (2 * r >= m) r -= m;
    if (2 * r < -m) r += m;
    sums.add(r, c.weights[i]);
  }
  return reconstruct(sums, c.product, c.reciprocal);
}

TEST(EmulationArithmetic, ModuliArePairwiseCoprimeAndFitEightBits) {
  for (std::size_t i = 0; i < kModuli.size(); ++i) {
    EXPECT_LE(kModuli[i], 256);
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_EQ(std::gcd(kModuli[i], kModuli[j]), 1) << kModuli[i] << " " << kModuli[j];
  }
}

TEST(EmulationArithmetic, ResidueIsTheSymmetricRemainder) {
  constexpr std::int32_t kEdge = 1 << 30;
  for (const Reduction& m : constants(kMostModuli).reductions) {
    const std::int32_t first_near_edge = kEdge - 3 * m.modulus;
    for (const std::int32_t start : {-kEdge + 1, -2 * m.modulus, first_near_edge})
      for (std::int32_t v = start; v < start + 3 * m.modulus; ++v) {
        const std::int32_t r = residue(v, m.modulus, m.reciprocal);
        ASSERT_EQ((v - r) % m.modulus, 0) << v << " modulo " << m.modulus;
        ASSERT_TRUE(-m.modulus <= 2 * r && 2 * r < m.modulus) << v << " modulo " << m.modulus;
      }
  }
}

/// Why this holds for all |v| <= 2^30 and not for those above alone. With e = |reciprocal m -
/// 2^38|, nearest_multiple() rounds 64 v / m + 32 down after an error of at most 2^30 e / m / 2^32.
/// With v = q m + f and f in (-m/2, m/2), 64 f / m + 32 keeps a distance of 32 / m from 0 and 64.
TEST(EmulationArithmetic, ReciprocalsAreCloseEnoughForEverySumOfTheDeepestProduct) {
  EXPECT_LE(kDeepestEmulation * 128 * 128, std::int64_t{1} << 30);
  for (const Reduction& m : constants(kMostModuli).reductions) {
    const std::int64_t error =
        std::abs(std::int64_t{m.reciprocal} * m.modulus - (std::int64_t{1} << 38));
    if (m.modulus % 2 == 0)
      EXPECT_EQ(error, 0) << m.modulus;  // there the distance is 0 on one side
    else
      EXPECT_LT(error, 128) << m.modulus;
  }
}

TEST(EmulationArithmetic, PiecesOfTheLargestScaledIntegerStayInRange) {
  for (int n = kFewestModuli; n <= kMostModuli; ++n) {
    EXPECT_LE(bit_length(constants(n).norm_limit), 126) << n;  // elements below 2^63
    for (const Reduction& m : constants(n).reductions) {
      const std::int64_t largest = (std::int64_t{1} << 22) * (1 + std::abs(m.power22)) +
                                   (std::int64_t{1} << 19) * std::abs(m.power44);
      EXPECT_LE(largest, std::int64_t{1} << 30) << m.modulus;
    }
  }
}

TEST(EmulationArithmetic, ResidueOfPiecesIsThatOfTheInteger) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t x = static_cast<std::int64_t>(random()) >> (1 + i % 60);
    for (const Reduction& m : constants(kMostModuli).reductions) {
      const std::int32_t r = residue(pieces_of(x), m);
      ASSERT_EQ((x - r) % m.modulus, 0) << x << " modulo " << m.modulus;
      ASSERT_TRUE(-m.modulus <= 2 * r && 2 * r < m.modulus);
    }
  }
}

TEST(EmulationArithmetic, PartsOfAWeightAddUpToOneModuloItsOwnAndZeroModuloTheOthers) {
  const auto sum = [](const ThreeParts& p) {
    return static_cast<Signed>(p.high) + static_cast<Signed>(p.middle) + static_cast<Signed>(p.low);
  };
  for (int n = kFewestModuli; n <= kMostModuli; ++n) {
    const Constants& c = constants(n);
    EXPECT_TRUE(sum(c.product) == product_of(n));
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
      for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j)
        EXPECT_TRUE((sum(c.weights[i]) - (i == j ? 1 : 0)) % kModuli[j] == 0);
  }
}

/// The sums in PartSums and the differences in reconstruct() are exact as long as none has more
/// than 53 bits.
TEST(EmulationArithmetic, SumsOfPartsKeepFiftyThreeBitsAtTheWorst) {
  for (int n = kFewestModuli; n <= kMostModuli; ++n) {
    const Constants& c = constants(n);
    const int bits = bit_length(static_cast<Wide>(product_of(n)));
    double high = 0, middle = 0, low = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      const double largest = kModuli[i] / 2;  // of the residues
      high += largest * std::abs(c.weights[i].high);
      middle += largest * std::abs(c.weights[i].middle);
      low += largest * std::abs(c.weights[i].low);
    }
    const double quotient = high * c.reciprocal + 1;
    EXPECT_LT(quotient, 2048);
    const auto fits = [&](double part, double of_product, int shift) {
      return part + quotient * std::abs(of_product) <= std::ldexp(1.0, 53 + shift);
    };
    EXPECT_LE(high, std::ldexp(1.0, 53 + bits - 42));
    EXPECT_LE(quotient * c.product.high, std::ldexp(1.0, 53 + bits - 42));
    EXPECT_TRUE(fits(middle, c.product.middle, bits - 84)) << n;
    EXPECT_TRUE(fits(low, c.product.low, 0)) << n;
  }
}

TEST(EmulationArithmetic, EverySmallIntegerComesBack) {
  std::mt19937_64 random(2);
  for (int n = kFewestModuli; n <= kMostModuli; ++n)
    for (int i = 0; i < 200; ++i) {
      const std::int64_t x = static_cast<std::int64_t>(random()) >> (11 + i % 52);
      ASSERT_EQ(through_residues(x, n), static_cast<double>(x)) << n << " moduli";
    }
}

TEST(EmulationArithmetic, LargeIntegersComeBackRoundedUpToTheEdgeOfTheRange) {
  std::mt19937_64 random(3);
  for (int n = kFewestModuli; n <= kMostModuli; ++n) {
    // The product of two norms at their limit, rounding included.
    const Signed edge = product_of(n) / 2 - (product_of(n) >> 20);
    for (int i = 0; i < 200; ++i) {
      const auto any = static_cast<Signed>((static_cast<Wide>(random()) << 63) ^ random());
      for (const Signed x : {any % edge, edge - i, -(any % edge), i - edge}) {
        const double result = through_residues(x, n);
        const auto error = static_cast<double>(x - static_cast<Signed>(result));
        ASSERT_LE(std::abs(error), std::ldexp(std::abs(result), -52)) << n << " moduli";
      }
    }
  }
}

struct Line {
  std::int32_t exponent = 0;
  std::vector<std::int64_t> integers{};
};

Line scaled(const std::vector<double>& x, int moduli) {
  std::int32_t largest = kAllZero;
  for (const double v : x)
    largest = std::max(largest, magnitude_of(v).exponent);
  std::uint64_t squares = 0;
  for (const double v : x)
    squares += bounded_square(v, largest);
  Line line{line_exponent(largest, squares, constants(moduli).norm_limit)};
  for (const double v : x)
    line.integers.push_back(
        scaled_integer(v, first_factor(line.exponent), second_factor(line.exponent)));
  return line;
}

TEST(EmulationArithmetic, NormsOfScaledLinesUseTheirRangeAndKeepToIt) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (int n = kFewestModuli; n <= kMostModuli; ++n)
    for (const int depth : {1, 2, 100})
      for (const double scale : {1e-300, 1e-3, 1.0, 3e7, 1e300}) {
        std::vector<double> x(static_cast<std::size_t>(depth));
        for (double& v : x)
          v = scale * normal(random);
        Signed squares = 0;
        for (const std::int64_t v : scaled(x, n).integers)
          squares += static_cast<Signed>(v) * v;
        const Signed most = product_of(n) / 2 - (product_of(n) >> 20);
        EXPECT_TRUE(squares <= most) << n << " moduli, " << scale;
        EXPECT_TRUE(squares >= most / 5) << n << " moduli, " << scale;
      }
}

TEST(EmulationArithmetic, LinesOfExtremeNumbersAreScaledExactly) {
  const double denormal = std::numeric_limits<double>::denorm_min();
  const double largest = std::numeric_limits<double>::max();
  for (const double x : {denormal, 5 * denormal, 1.5e-310, largest, -largest, 1.0}) {
    const Line line = scaled({x, 0.0}, 14);
    EXPECT_EQ(std::scalbn(static_cast<double>(line.integers[0]), -line.exponent), x);
    EXPECT_EQ(line.integers[1], 0);
  }
  const Line both = scaled({largest, denormal}, 14);
  EXPECT_EQ(both.integers[1], 0);
  EXPECT_EQ(scaled({0.0, 0.0}, 14).exponent, 0);
}

TEST(EmulationArithmetic, ALineThatIsNotFiniteIsMarked) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(line_exponent(std::max(magnitude_of(x).exponent, magnitude_of(1.0).exponent), 1,
                            constants(14).norm_limit),
              kNotFinite);
  EXPECT_EQ(element_exponent(kNotFinite, 3), kNotFinite);
  EXPECT_EQ(element_exponent(-4, kNotFinite), kNotFinite);
}

TEST(EmulationArithmetic, DigitsOfResiduesAndTheirSumsAreNumbersOfE4M3) {
  for (std::int32_t x = -128; x <= 127; ++x) {
    const Digits digits = digits_of(x);
    EXPECT_EQ(16 * digits.high + digits.low, x);
    for (const std::int32_t part : {digits.high, digits.low, digits.high + digits.low})
      EXPECT_EQ(float_from_e4m3(e4m3_from(part)), static_cast<float>(part)) << x;
    const Digits other = digits_of(-x - 1);
    EXPECT_EQ(product_of_digits(digits.high * other.high, digits.low * other.low,
                                (digits.high + digits.low) * (other.high + other.low)),
              x * (-x - 1));
  }
}

TEST(EmulationArithmetic, NumbersOfE4M3HaveTheBitsOfTheFormat) {
  EXPECT_EQ(e4m3_from(0), 0);
  EXPECT_EQ(e4m3_from(1), 0x38);
  EXPECT_EQ(e4m3_from(-13), 0xd5);  // -1.101b 2^3
  EXPECT_EQ(e4m3_from(16), 0x58);
  EXPECT_EQ(float_from_e4m3(0x7e), 448);  // the largest
  EXPECT_EQ(float_from_e4m3(0x08), 0x1p-6F);
  EXPECT_EQ(float_from_e4m3(0x81), -0x1p-9F);  // the smallest
}

TEST(EmulationArithmetic, SumsOfTheLongestProductsOfDigitsAreExact) {
  // -128 is the residue whose digits have the largest sum; 120 = 8 16 - 8 that of opposite signs.
  for (const std::int32_t x : {-128, 127, 120, -8})
    for (const std::int32_t y : {-128, 127, 120, -8}) {
      const Digits a = digits_of(x), b = digits_of(y);
      float highs = 0, lows = 0, sums = 0;
      for (std::int64_t k = 0; k < kDeepestEmulation; ++k) {
        highs += static_cast<float>(a.high * b.high);
        lows += static_cast<float>(a.low * b.low);
        sums += static_cast<float>((a.high + a.low) * (b.high + b.low));
      }
      EXPECT_EQ(product_of_digits(static_cast<std::int32_t>(highs), static_cast<std::int32_t>(lows),
                                  static_cast<std::int32_t>(sums)),
                kDeepestEmulation * x * y);
    }
}

TEST(EmulationArithmetic, DifferencesAreScaledBackOverTheWholeRange) {
  EXPECT_EQ(subtract_scaled(1.0, 3.0, 2), 0.25);
  EXPECT_EQ(subtract_scaled(0.0, -1.0, 1074), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(subtract_scaled(0.0, -0x1p100, 2100), 0.0);
  EXPECT_EQ(subtract_scaled(0.0, 0x1p100, -2000), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(subtract_scaled(2.0, 0.0, 2200), 2.0);
}

}  // namespace
}  // namespace hpcx::emulation
