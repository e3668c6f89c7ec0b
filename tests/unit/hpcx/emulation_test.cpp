#include "hpcx/emulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "support/emulated_product.h"

namespace hpcx {
namespace {

using test::Dense;
using test::dense;

/// Element of a matrix of normally distributed numbers.
auto normal_values(unsigned seed, double spread = 0) {
  return [random = std::mt19937_64(seed), normal = std::normal_distribution<double>(), spread](
             std::int64_t, std::int64_t) mutable {
    const double x = normal(random);
    return x * std::exp(spread * normal(random));
  };
}

double norm(const ConstMatrixView& a) {
  double squares = 0;
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.cols; ++j)
      squares += a(i, j) * a(i, j);
  return std::sqrt(squares);
}

/// The largest error of C - A B in units of 2^-53 |a_i| |b_j|.
double largest_error(Dense& a, Dense& b, Dense& c, Dense& result) {
  double largest = 0;
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.cols; ++j)
      largest =
          std::max(largest, std::abs(test::exact(a, b, c, i, j).minus(result(i, j))) /
                                norm(a.view().row_range(i, 1)) / norm(b.view().col_range(j, 1)));
  return largest * 0x1p53;
}

/// The largest error of an element of a product of positive numbers, relative to the element.
double largest_relative_error(Dense& a, Dense& b, Dense& c, Dense& result) {
  double largest = 0;
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.cols; ++j) {
      const test::Twofold truth = test::exact(a, b, c, i, j);
      largest = std::max(largest, std::abs(truth.minus(result(i, j)) / truth.high));
    }
  return largest;
}

class EmulatedProduct : public ::testing::Test {
 protected:
  std::unique_ptr<Device> device = open_device({.backend = Backend::Cpu, .cpu = {.threads = 2}});
};

TEST_F(EmulatedProduct, OfIntegersIsExactInEveryShapeAndLayout) {
  std::mt19937_64 random(1);
  const auto integers = [&random](std::int64_t, std::int64_t) {
    return static_cast<double>(static_cast<std::int64_t>(random() >> 44)) - 0x1p19;
  };
  struct Shape {
    std::int64_t m, n, k;
  };
  for (const auto& [m, n, k] : {Shape{1, 1, 1}, Shape{5, 7, 3}, Shape{50, 33, 17},
                                Shape{49, 97, 64}, Shape{3, 2, 200}, Shape{4, 5, 0}})
    for (const Layout layout : {Layout::ColumnMajor, Layout::RowMajor}) {
      const Layout other = layout == Layout::RowMajor ? Layout::ColumnMajor : Layout::RowMajor;
      Dense a = dense(m, k, layout, integers), b = dense(k, n, other, integers),
            c = dense(m, n, layout, integers);
      Dense result = test::emulated(*device, kFewestModuli, a, b, c);
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j)
          ASSERT_EQ(result(i, j), test::exact(a, b, c, i, j).high)
              << m << " x " << n << " x " << k << " at " << i << ", " << j;
    }
}

TEST_F(EmulatedProduct, HasTheErrorThatItsModuliAllow) {
  Dense a = dense(20, 130, Layout::ColumnMajor, normal_values(2, 1.0));
  Dense b = dense(130, 20, Layout::RowMajor, normal_values(3, 1.0));
  Dense c(20, 20);
  Dense native = test::native(*device, a, b, c);
  const double of_native = largest_error(a, b, c, native);
  double last = std::numeric_limits<double>::infinity();
  for (int moduli = kFewestModuli; moduli <= kMostModuli; ++moduli) {
    Dense result = test::emulated(*device, moduli, a, b, c);
    const double error = largest_error(a, b, c, result);
    // About 7.7 bits a modulus go to two operands, until the rounding of C is all there is.
    EXPECT_LT(error, std::max(last / 8, 1.0)) << moduli;
    if (moduli >= kDefaultModuli) {
      EXPECT_LE(error, of_native) << moduli;
    } else if (moduli == kFewestModuli) {
      EXPECT_GT(error, of_native);
    }
    last = error;
  }
}

TEST_F(EmulatedProduct, KeepsItsErrorWhateverScalesRowsAndColumnsHave) {
  Dense a = dense(12, 90, Layout::ColumnMajor, normal_values(4));
  Dense b = dense(90, 12, Layout::RowMajor, normal_values(5));
  Dense plain = test::emulated(*device, kDefaultModuli, a, b, Dense(12, 12));
  for (std::int64_t i = 0; i < 12; ++i)
    for (std::int64_t k = 0; k < 90; ++k) {
      a(i, k) = std::scalbn(a(i, k), static_cast<int>(40 * i - 200));
      b(k, i) = std::scalbn(b(k, i), static_cast<int>(-60 * i + 300));
    }
  Dense scaled = test::emulated(*device, kDefaultModuli, a, b, Dense(12, 12));
  for (std::int64_t i = 0; i < 12; ++i)
    for (std::int64_t j = 0; j < 12; ++j)
      EXPECT_EQ(scaled(i, j),
                std::scalbn(plain(i, j), static_cast<int>(40 * i - 200 - 60 * j + 300)));
}

/// Demmel's test for arithmetic that is fixed-point at heart: a_ik falls as b_kj rises, so that
/// each term of a sum weighs the same. Floating point keeps its error; here it grows as the grade.
TEST_F(EmulatedProduct, LosesWhatTheInnerDimensionIsGradedBy) {
  const auto errors_at = [&](int grade) {
    std::mt19937_64 random(6);
    std::uniform_real_distribution<double> uniform(0.5, 1.0);
    const std::int64_t size = 64;
    const auto power = [&](std::int64_t k) {
      return std::ldexp(1.0, static_cast<int>(-grade * k / (size - 1)));
    };
    Dense a = dense(16, size, Layout::ColumnMajor,
                    [&](std::int64_t, std::int64_t k) { return uniform(random) * power(k); });
    Dense b = dense(size, 16, Layout::RowMajor,
                    [&](std::int64_t k, std::int64_t) { return uniform(random) / power(k); });
    Dense c(16, 16);
    Dense emulated = test::emulated(*device, 14, a, b, c);
    Dense native = test::native(*device, a, b, c);
    return std::pair(largest_relative_error(a, b, c, emulated),
                     largest_relative_error(a, b, c, native));
  };
  const auto [gentle, native_gentle] = errors_at(10);
  const auto [steep, native_steep] = errors_at(40);
  const double slope = std::log2(steep / gentle) / 30;
  EXPECT_GT(slope, 0.7);
  EXPECT_LT(slope, 1.1);
  EXPECT_LT(native_steep, 4 * native_gentle);
}

TEST_F(EmulatedProduct, MakesNanOfRowsAndColumnsWithANumberThatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  Dense a = dense(5, 30, Layout::ColumnMajor, normal_values(7));
  Dense b = dense(30, 6, Layout::RowMajor, normal_values(8));
  const Dense c = dense(5, 6, Layout::RowMajor, normal_values(9));
  Dense finite = test::emulated(*device, 14, a, b, c);
  a(2, 11) = infinity;
  b(29, 4) = std::numeric_limits<double>::quiet_NaN();
  Dense result = test::emulated(*device, 14, a, b, c);
  for (std::int64_t i = 0; i < 5; ++i)
    for (std::int64_t j = 0; j < 6; ++j) {
      if (i == 2 || j == 4) {
        EXPECT_TRUE(std::isnan(result(i, j)));
      } else {
        EXPECT_EQ(result(i, j), finite(i, j));
      }
    }
}

TEST_F(EmulatedProduct, OfZerosLeavesEveryBitOfC) {
  Dense c = dense(3, 3, Layout::RowMajor, normal_values(10));
  c(1, 1) = -0.0;
  Dense result = test::emulated(*device, 14, Dense(3, 8), Dense(8, 3), c);
  for (std::size_t i = 0; i < c.data.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(result.data[i]),
              std::bit_cast<std::uint64_t>(c.data[i]));
}

TEST_F(EmulatedProduct, OfPartsOfPreparedOperandsIsAddedOrSubtracted) {
  const std::int64_t m = 40, n = 30, k = 300, first = 7, rows = 20, depth = 128;
  Dense a = dense(m, k, Layout::ColumnMajor, normal_values(15)),
        b = dense(k, n, Layout::RowMajor, normal_values(16));
  const Stream stream = device->create_stream(Priority::Normal);
  const auto prepared = [&](const ConstMatrixView& lines, Buffer& memory) {
    memory = device->allocate(
        static_cast<std::size_t>(residue_bytes(lines.rows, lines.cols, kDefaultModuli)));
    const ResidueView view = residue_view(memory, lines.rows, lines.cols, kDefaultModuli);
    device->emulation()->prepare(stream, lines, view);
    return view;
  };
  Buffer for_a, for_b;
  const ResidueView of_a = part_of(prepared(a.view(), for_a), first, rows, depth),
                    of_b = part_of(prepared(b.view().transposed(), for_b), 0, n, depth);
  const Dense before = dense(rows, n, Layout::RowMajor, normal_values(17));
  Dense sum = before, difference = before;
  device->emulation()->add_product(stream, {1, of_a, of_b, sum.view()}, {});
  device->emulation()->add_product(stream, {-1, of_a, of_b, difference.view()}, {});
  stream.ref().synchronize();
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double product = 0;
      for (std::int64_t l = 0; l < depth; ++l)
        product += a(first + i, l) * b(l, j);
      const double c = before.data[static_cast<std::size_t>(i * n + j)];
      EXPECT_NEAR(sum(i, j), c + product, 1e-13);
      EXPECT_NEAR(difference(i, j), c - product, 1e-13);
    }
}

TEST_F(EmulatedProduct, HasTheSameBitsByProductsOfFp8) {
  const std::unique_ptr<Device> by_fp8 = open_device(
      {.backend = Backend::Cpu, .cpu = {.threads = 2, .residue_element = ResidueElement::Fp8}});
  for (int moduli = kFewestModuli; moduli <= kMostModuli; ++moduli) {
    const std::int64_t m = 53, n = 67, k = 37 * moduli;
    const Dense a = dense(m, k, Layout::ColumnMajor, normal_values(12, 2.0)),
                b = dense(k, n, Layout::RowMajor, normal_values(13, 2.0)),
                c = dense(m, n, Layout::RowMajor, normal_values(14));
    EXPECT_EQ(test::emulated(*by_fp8, moduli, a, b, c).data,
              test::emulated(*device, moduli, a, b, c).data);
  }
}

TEST_F(EmulatedProduct, TouchesNothingOutsideItsOperands) {
  const std::int64_t lines = 9, depth = 21;
  const auto bytes = static_cast<std::size_t>(residue_bytes(lines, depth, 13));
  const Buffer memory = device->allocate(bytes + 64);
  std::fill_n(memory.as<std::int8_t>(), bytes + 64, std::int8_t{77});
  Dense a = dense(lines, depth, Layout::ColumnMajor, normal_values(11));
  const Stream stream = device->create_stream(Priority::Normal);
  const ResidueView out = residue_view(memory, lines, depth, 13);
  device->emulation()->prepare(stream, a.view(), out);
  stream.ref().synchronize();
  for (std::size_t i = bytes; i < bytes + 64; ++i)
    ASSERT_EQ(*memory.as<std::int8_t>(i), 77);
  for (int m = 0; m < 13; ++m)
    for (std::int64_t line = 0; line < lines; ++line)
      for (std::int64_t k = depth; k < out.pitch(); ++k)
        ASSERT_EQ(out.residues[m * out.plane() + line * out.pitch() + k], 0);
}

TEST(EmulationBlocks, AreAsHighAsEachOtherAndFitTheWorkspace) {
  const auto rows = [](std::int64_t m, std::int64_t n, int moduli) {
    return emulation_block_rows(m, n, moduli, emulation_workspace_bytes(m, n, moduli));
  };
  EXPECT_EQ(rows(1, 1, 12), 256);
  EXPECT_EQ(rows(1000, 1000, 14), 1024);    // at once
  EXPECT_EQ(rows(16384, 16384, 14), 4096);  // 4608 would fit, and leave 2560
  for (const std::int64_t m : {5000, 16384, 100001})
    for (const std::int64_t n : {16384, 32768, 200000}) {
      const std::int64_t high = rows(m, n, 15), blocks = (m + high - 1) / high;
      EXPECT_EQ(high % 256, 0);
      EXPECT_LE(15 * high * n, std::max(std::int64_t{1} << 30, std::int64_t{15} * 256 * n));
      EXPECT_GT(m - (blocks - 1) * high, high - 256 * blocks) << m << " x " << n;
    }
}

TEST(EmulationWorkspace, HoldsABlockOfRowsOfACOfAnySize) {
  EXPECT_EQ(emulation_workspace_bytes(0, 100, 14), 0);
  EXPECT_EQ(emulation_workspace_bytes(100, 0, 14), 0);
  EXPECT_EQ(emulation_workspace_bytes(100, 100, 14), 14 * 112 * 256);
  EXPECT_EQ(emulation_workspace_bytes(1000, 1000, 14), 14 * 1008 * 1024);
  EXPECT_LE(emulation_workspace_bytes(1'000'000, 16384, 14), std::int64_t{1} << 30);
  EXPECT_EQ(emulation_workspace_bytes(1'000'000, 1'000'000'000, 16),
            16 * std::int64_t{1'000'000'000} * 256);
}

}  // namespace
}  // namespace hpcx
