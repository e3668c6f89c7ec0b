#include "hpcx/blas.h"
#include "hpcx/generator.h"
#include "mixed_fixture.h"

namespace hpcx::conformance {
namespace {

class MixedPrecisionTest : public MixedTest {};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(MixedPrecisionTest);

/// Roundoff of sums of `count` terms in FP32, whatever their order and however it truncates.
double sum_error(std::int64_t count) {
  return static_cast<double>(count + 2) * 0x1p-23;
}

double largest(HostMatrix a) {
  double result = 0;
  for (std::int64_t i = 0; i < a.shape.rows; ++i)
    for (std::int64_t j = 0; j < a.shape.cols; ++j)
      result = std::max(result, std::abs(a(i, j)));
  return result;
}

HostMatrix magnitudes(HostMatrix a) {
  for (double& x : a.storage)
    x = std::abs(x);
  return a;
}

HostMatrix product(HostMatrix a, HostMatrix b) {
  HostMatrix c({a.shape.rows, b.shape.cols, Layout::ColumnMajor, 0, 0});
  host::gemm({1.0, a.view(), b.view(), 0.0, c.view()});
  return c;
}

/// The largest |a - b| of elements.
double distance(HostMatrix a, HostMatrix b) {
  double result = 0;
  for (std::int64_t i = 0; i < a.shape.rows; ++i)
    for (std::int64_t j = 0; j < a.shape.cols; ++j)
      if (!(std::abs(a(i, j) - b(i, j)) <= result)) result = std::abs(a(i, j) - b(i, j));
  return result;
}

HostMatrix identity(std::int64_t n, double value) {
  HostMatrix result({n, n, Layout::ColumnMajor, 0, 0});
  set_all(result, [&](auto i, auto j) { return i == j ? value : 0; });
  return result;
}

HostMatrix unit_lower(HostMatrix lu) {
  set_all(lu, [&](auto i, auto j) { return i > j ? lu(i, j) : i == j ? 1 : 0; });
  return lu;
}

HostMatrix upper(HostMatrix lu) {
  set_all(lu, [&](auto i, auto j) { return i > j ? 0 : lu(i, j); });
  return lu;
}

// --- Conversions
// ----------------------------------------------------------------------------------

TEST_P(MixedPrecisionTest, KeepsEveryNumberOf16Bits) {
  for (const Precision precision : {Precision::Fp16, Precision::Bf16}) {
    const Shape shape{256, 256, Layout::RowMajor, 0, 0};
    HostMixed all(shape, precision);
    for (std::uint32_t bits = 0; bits < 65536; ++bits)
      all.set_bits(bits / 256, bits % 256, bits);
    const HostMixed nothing(shape, Precision::Fp32);
    const DeviceMixed source = upload(all), wide = upload(nothing),
                      back = upload(HostMixed(shape, precision));
    mixed_->convert(stream_, source.view, wide.view);
    mixed_->convert(stream_, wide.view, back.view);
    const HostMixed in_fp32 = download(wide, nothing), again = download(back, all);
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
      const double value = value_of(bits, precision), actual = in_fp32(bits / 256, bits % 256);
      const std::uint32_t round_trip = again.bits(bits / 256, bits % 256);
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(actual) && std::isnan(value_of(round_trip, precision))) << bits;
      } else {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(actual), std::bit_cast<std::uint64_t>(value));
        ASSERT_EQ(round_trip, bits) << name_of(precision);
      }
    }
  }
}

/// Numbers in FP32 at and beside the points where a format's rounding changes, and extremes.
std::vector<float> rounding_points(Precision precision) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> points{0,          -0.0F,    0x1p-149F,  0x1p-126F, 3.4028235e38F,
                            -kInfinity, 65504.0F, 65519.996F, 65520.0F,  0x1p-25F};
  for (std::uint32_t bits = 0; bits < 0x7fff; ++bits) {
    const double low = value_of(bits, precision), high = value_of(bits + 1, precision);
    if (!std::isfinite(high)) break;
    const auto middle = static_cast<float>((low + high) / 2);
    for (const float point :
         {middle, std::nextafter(middle, 0.0F), std::nextafter(middle, kInfinity)})
      points.push_back(bits % 2 == 0 ? point : -point);
  }
  return points;
}

TEST_P(MixedPrecisionTest, RoundsToNearestWithTiesToEven) {
  for (const Precision precision : {Precision::Fp16, Precision::Bf16}) {
    const std::vector<float> points = rounding_points(precision);
    const auto count = static_cast<std::int64_t>(points.size());
    for (const Layout layout : kLayouts) {
      const Shape shape{2, (count + 1) / 2, layout, 3, 1};
      HostMixed exact(shape, Precision::Fp32), expected(shape, precision);
      for (std::int64_t k = 0; k < 2 * shape.cols; ++k) {
        const double value = points[static_cast<std::size_t>(std::min(k, count - 1))];
        exact.set(k % 2, k / 2, value);
        expected.set(k % 2, k / 2, value);
      }
      const DeviceMixed source = upload(exact), result = upload(HostMixed(shape, precision));
      mixed_->convert(stream_, source.view, result.view);
      const HostMixed actual = download(result, expected);
      for (std::int64_t j = 0; j < shape.cols; ++j)
        for (std::int64_t i = 0; i < 2; ++i)
          ASSERT_EQ(actual.bits(i, j), expected.bits(i, j))
              << name_of(precision) << " of " << exact(i, j);
      expect_padding_untouched(actual);
    }
  }
}

TEST_P(MixedPrecisionTest, ConvertsBetweenAllPrecisions) {
  for (const auto& [rows, cols] : Sizes{{1, 1}, {37, 300}, {3000, 3}, {0, 4}, {4, 0}}) {
    for (const Layout layout : kLayouts) {
      for (const Precision from : kPrecisions) {
        for (const Precision to : kPrecisions) {
          HostMatrix exact = random_matrix({rows, cols, layout, 0, 0}, 7);
          if (rows * cols > 2) exact(1, 1) = 1e30;
          const HostMixed source = rounded_matrix(exact, {rows, cols, layout, 3, 1}, from);
          const HostMixed before({rows, cols, layout, 5, 0}, to);
          const DeviceMixed on_device = upload(source), result = upload(before);
          mixed_->convert(stream_, on_device.view, result.view);
          const HostMixed actual = download(result, before);
          for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < cols; ++j)
              ASSERT_EQ(actual(i, j), rounded(source(i, j), to))
                  << name_of(from) << " to " << name_of(to) << ": " << i << ", " << j;
          expect_padding_untouched(actual);
        }
      }
    }
  }
}

// --- Products
// -------------------------------------------------------------------------------------

struct Product {
  std::int64_t m, n, k;
  float alpha, beta;
};

TEST_P(MixedPrecisionTest, MultipliesWithSumsInFp32) {
  const std::vector<Product> products{{1, 1, 1, 1, 0},          {65, 33, 129, -1, 1},
                                      {130, 257, 64, 0.5F, -2}, {70, 40, 1500, -1, 1},
                                      {17, 600, 3, 1, 0},       {40, 24, 0, 1, 0.5F}};
  for (const Product& p : products) {
    for (const Precision precision : kPrecisions) {
      for (const Precision of_c : {precision, Precision::Fp32}) {
        for (int layouts = 0; layouts < 8; ++layouts) {
          SCOPED_TRACE(testing::Message()
                       << p.m << " x " << p.n << " x " << p.k << ", " << name_of(precision)
                       << ", C in " << name_of(of_c) << ", layouts " << layouts);
          const auto random = [&](std::int64_t rows, std::int64_t cols, int bit, Precision of) {
            const Layout layout = kLayouts[layouts >> bit & 1];
            // Lines on 16 bytes, as matrices of the factorization have them.
            const std::int64_t length = layout == Layout::RowMajor ? cols : rows;
            return rounded_matrix(
                random_matrix({rows, cols, layout, 0, 0}, static_cast<std::uint64_t>(bit + 1)),
                {rows, cols, layout, 16 - length % 8, 0}, of);
          };
          const HostMixed a = random(p.m, p.k, 0, precision), b = random(p.k, p.n, 1, precision);
          HostMixed c = random(p.m, p.n, 2, of_c);
          const DeviceMixed on_device[] = {upload(a), upload(b), upload(c)};
          mixed_->gemm(stream_,
                       {p.alpha, on_device[0].view, on_device[1].view, p.beta, on_device[2].view});
          const HostMixed actual = download(on_device[2], c);
          HostMatrix exact = product(values(a), values(b));
          HostMatrix bound = product(magnitudes(values(a)), magnitudes(values(b)));
          const Format format = format_of(of_c);
          for (std::int64_t i = 0; i < p.m; ++i) {
            for (std::int64_t j = 0; j < p.n; ++j) {
              const double value = p.alpha * exact(i, j) + p.beta * c(i, j);
              const double magnitude = std::abs(p.alpha) * bound(i, j) + std::abs(p.beta * c(i, j));
              ASSERT_NEAR(actual(i, j), value,
                          sum_error(p.k) * magnitude + format.unit() * std::abs(value) * 1.001 +
                              format.quantum())
                  << i << ", " << j;
            }
          }
          expect_padding_untouched(actual);
        }
      }
    }
  }
}

/// Sums of integers are exact in FP32: so the element of C is their sum, rounded once.
TEST_P(MixedPrecisionTest, RoundsASumOnlyOnce) {
  constexpr std::int64_t kEdge = 48, kDepth = 3000;
  for (const Precision precision : kPrecisions) {
    const auto integers = [&](std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
      const Shape shape{rows, cols, Layout::RowMajor, 0, 0};
      HostMatrix exact = random_matrix(shape, seed);
      for (double& x : exact.storage)
        x = std::round(30 * x);
      return rounded_matrix(exact, shape, precision);
    };
    const HostMixed a = integers(kEdge, kDepth, 1), b = integers(kDepth, kEdge, 2),
                    c = integers(kEdge, kEdge, 3);
    const DeviceMixed of_a = upload(a), of_b = upload(b), of_c = upload(c);
    mixed_->gemm(stream_, {-1, of_a.view, of_b.view, 1, of_c.view});
    const HostMixed actual = download(of_c, c);
    HostMatrix exact = product(values(a), values(b));
    for (std::int64_t i = 0; i < kEdge; ++i)
      for (std::int64_t j = 0; j < kEdge; ++j)
        ASSERT_EQ(actual(i, j), rounded(c(i, j) - exact(i, j), precision))
            << name_of(precision) << ": " << i << ", " << j;
  }
}

TEST_P(MixedPrecisionTest, DoesNotReadCForABetaOfZero) {
  for (const Precision precision : kPrecisions) {
    const Shape shape{64, 64, Layout::RowMajor, 0, 0};
    const HostMixed a = rounded_matrix(identity(64, 1), shape, precision);
    HostMixed c(shape, precision);
    for (std::int64_t i = 0; i < 64; ++i)
      for (std::int64_t j = 0; j < 64; ++j)
        c.set(i, j, std::numeric_limits<double>::quiet_NaN());
    const DeviceMixed of_a = upload(a), of_c = upload(c);
    mixed_->gemm(stream_, {1, of_a.view, of_a.view, 0, of_c.view});
    EXPECT_EQ(distance(values(download(of_c, c)), identity(64, 1)), 0) << name_of(precision);
  }
}

TEST_P(MixedPrecisionTest, AddsMatrixTimesVector) {
  for (const auto& [rows, cols] : Sizes{{1, 1}, {7, 1000}, {1000, 7}, {513, 300}, {3000, 129}}) {
    for (const Precision precision : kPrecisions) {
      for (const Layout layout : kLayouts) {
        SCOPED_TRACE(testing::Message() << rows << " x " << cols << ", " << name_of(precision)
                                        << ", " << layout_name(layout));
        const std::int64_t length = layout == Layout::RowMajor ? cols : rows;
        const HostMixed a = rounded_matrix(random_matrix({rows, cols, layout, 0, 0}, 1),
                                           {rows, cols, layout, 16 - length % 8, 0}, precision);
        std::vector<float> x, y;
        for (std::int64_t j = 0; j < cols; ++j)
          x.push_back(static_cast<float>(std::sin(static_cast<double>(j))));
        for (std::int64_t i = 0; i < rows; ++i)
          y.push_back(static_cast<float>(std::cos(static_cast<double>(i))));
        const DeviceMixed matrix = upload(a);
        const Buffer of_x = upload(x), of_y = upload(y);
        mixed_->gemv(stream_, {-0.5F, matrix.view, of_x.as<float>(), of_y.as<float>()});
        const auto actual = download<float>(of_y, y.size());
        for (std::int64_t i = 0; i < rows; ++i) {
          double value = y[static_cast<std::size_t>(i)], bound = std::abs(value);
          for (std::int64_t j = 0; j < cols; ++j) {
            const double term = 0.5 * a(i, j) * x[static_cast<std::size_t>(j)];
            value -= term;
            bound += std::abs(term);
          }
          ASSERT_NEAR(actual[static_cast<std::size_t>(i)], value, sum_error(cols) * bound) << i;
        }
      }
    }
  }
}

/// The computed x solves a system beside the given one: |T x - b| <= error |T| |x|.
TEST_P(MixedPrecisionTest, SolvesTriangles) {
  for (const std::int64_t n : {1, 2, 31, 64, 65, 130, 192, 300, 512, 1000}) {
    for (const Precision precision : kPrecisions) {
      for (const Layout layout : kLayouts) {
        for (const Triangle triangle : {Triangle::Lower, Triangle::Upper}) {
          const bool is_lower = triangle == Triangle::Lower;
          SCOPED_TRACE(testing::Message() << n << ", " << name_of(precision) << ", "
                                          << layout_name(layout) << (is_lower ? ", L" : ", U"));
          HostMatrix exact = random_matrix({n, n, Layout::ColumnMajor, 0, 0}, 11);
          for (std::int64_t j = 0; j < n; ++j) {
            for (std::int64_t i = 0; i < n; ++i) {
              const bool read = is_lower ? i > j : i <= j;
              if (!read) exact(i, j) = std::numeric_limits<double>::quiet_NaN();
              if (i == j && read) exact(i, j) += std::sqrt(static_cast<double>(n));
              if (is_lower) exact(i, j) /= std::sqrt(static_cast<double>(n));
            }
          }
          const HostMixed t = rounded_matrix(exact, {n, n, layout, 16 - n % 8, 0}, precision);
          std::vector<float> b;
          for (std::int64_t i = 0; i < n; ++i)
            b.push_back(static_cast<float>(std::cos(static_cast<double>(i))));
          const DeviceMixed matrix = upload(t);
          const Buffer of_x = upload(b);
          mixed_->solve(stream_, triangle, matrix.view, of_x.as<float>());
          const auto x = download<float>(of_x, b.size());
          HostMatrix value = is_lower ? unit_lower(values(t)) : upper(values(t));
          for (std::int64_t i = 0; i < n; ++i) {
            double sum = 0, bound = 0;
            for (std::int64_t j = is_lower ? 0 : i; j < (is_lower ? i + 1 : n); ++j) {
              const double term = value(i, j) * x[static_cast<std::size_t>(j)];
              sum += term;
              bound += std::abs(term);
            }
            ASSERT_NEAR(sum, b[static_cast<std::size_t>(i)], sum_error(n) * bound) << "row " << i;
          }
        }
      }
    }
  }
}

// --- Diagonal blocks
// ------------------------------------------------------------------------------

/// Results of factorize_diagonal().
struct DiagonalFactors {
  HostMixed lu, inverse_lower, inverse_upper;
  DiagonalResult result;
};

class MixedDiagonalTest : public MixedTest {
 protected:
  DiagonalFactors factorize(const HostMixed& block, Precision of_inverses) {
    const std::int64_t n = block.shape().rows;
    const HostMixed square({n, n, block.shape().layout, 8, 0}, of_inverses);
    const DeviceMixed of_block = upload(block), lower = upload(square), of_upper = upload(square);
    const Buffer workspace =
        device_->allocate(static_cast<std::size_t>(diagonal_workspace_bytes(n)));
    const Buffer result = upload(std::vector<DiagonalResult>{{.bad_column = 77, .scale = -3}});
    mixed_->factorize_diagonal(stream_, {of_block.view, workspace.as<void>(), lower.view,
                                         of_upper.view, result.as<DiagonalResult>()});
    return {download(of_block, block), download(lower, square), download(of_upper, square),
            download<DiagonalResult>(result, 1).at(0)};
  }
};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(MixedDiagonalTest);

/// Random entries and sqrt(n) on the diagonal.
HostMixed conforming_block(std::int64_t n, Layout layout, Precision precision) {
  HostMatrix exact = random_matrix({n, n, layout, 0, 0}, 5);
  for (std::int64_t i = 0; i < n; ++i)
    exact(i, i) += std::sqrt(static_cast<double>(n));
  return rounded_matrix(exact, {n, n, layout, 16 - n % 8, 0}, precision);
}

double largest_column_sum(const HostMixed& a) {
  double result = 0;
  for (std::int64_t j = 0; j < a.shape().cols; ++j) {
    double sum = 0;
    for (std::int64_t i = 0; i < a.shape().rows; ++i)
      sum += std::abs(a(i, j));
    result = std::max(result, sum);
  }
  return result;
}

void expect_factors(const HostMixed& block, const DiagonalFactors& factors) {
  const std::int64_t n = block.shape().rows;
  ASSERT_EQ(factors.result.bad_column, -1);
  const HostMatrix l = unit_lower(values(factors.lu)), u = upper(values(factors.lu));
  const Format stored = format_of(block.precision()),
               inverted = format_of(factors.inverse_upper.precision());
  // L U is the block up to the sums and to the rounding of the two factors.
  const double size = largest(product(magnitudes(l), magnitudes(u)));
  EXPECT_LE(distance(product(l, u), values(block)), (sum_error(n) + 2.1 * stored.unit()) * size +
                                                        static_cast<double>(n) * stored.quantum());

  const HostMatrix il = values(factors.inverse_lower), iu = values(factors.inverse_upper);
  EXPECT_EQ(distance(il, unit_lower(il)), 0) << "not unit lower";
  EXPECT_EQ(distance(iu, upper(iu)), 0) << "not upper";
  const auto expect_inverse = [&](const HostMatrix& inverse, const HostMatrix& factor,
                                  double scale) {
    const double condition = largest(product(magnitudes(inverse), magnitudes(factor)));
    EXPECT_LE(distance(product(inverse, factor), identity(n, scale)),
              (sum_error(n) + 1.1 * stored.unit() + 1.1 * inverted.unit()) * condition +
                  static_cast<double>(n) * largest(factor) * inverted.quantum());
  };
  expect_inverse(il, l, 1);
  const double scale = factors.result.scale;
  int exponent = 0;
  EXPECT_EQ(std::frexp(scale, &exponent), 0.5) << scale << " is no power of two";
  expect_inverse(iu, u, scale);
  const double sum = largest_column_sum(factors.inverse_upper);
  const double slack =
      1.1 * inverted.unit() + sum_error(n) * 0.1 + static_cast<double>(n) * inverted.quantum();
  EXPECT_GT(sum, 0.5 - slack);
  EXPECT_LE(sum, 1 + slack);
  for (const HostMixed& matrix : {factors.lu, factors.inverse_lower, factors.inverse_upper})
    expect_padding_untouched(matrix);
}

TEST_P(MixedDiagonalTest, GivesFactorsAndInverses) {
  for (const std::int64_t n : {1, 7, 64, 130, 300, 512, 1000}) {
    for (const Layout layout : kLayouts) {
      for (const Precision precision : kPrecisions) {
        for (const Precision of_inverses : kPrecisions) {
          if (of_inverses != precision && of_inverses != Precision::Fp16) continue;
          // The check of wide blocks is long: the formats that a run has by default.
          if (n > 300 && (layout == Layout::ColumnMajor || of_inverses != Precision::Fp16))
            continue;
          if (n > 512 && precision != Precision::Fp32) continue;
          SCOPED_TRACE(testing::Message()
                       << n << ", " << layout_name(layout) << ", " << name_of(precision)
                       << ", inverses in " << name_of(of_inverses));
          const HostMixed block = conforming_block(n, layout, precision);
          expect_factors(block, factorize(block, of_inverses));
        }
      }
    }
  }
}

TEST_P(MixedDiagonalTest, APowerOfTwoIsScaledToOne) {
  for (const Precision precision : kPrecisions) {
    const HostMixed block =
        rounded_matrix(identity(65, 0x1p-6), {65, 65, Layout::RowMajor, 7, 0}, precision);
    const DiagonalFactors factors = factorize(block, precision);
    EXPECT_EQ(factors.result.scale, 0x1p-6F);
    EXPECT_EQ(distance(values(factors.inverse_upper), identity(65, 1)), 0);
  }
}

TEST_P(MixedDiagonalTest, NamesTheFirstColumnWithoutPivot) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::int64_t n : {1, 64, 130, 300}) {
    for (const std::int64_t column : {std::int64_t{0}, n / 3, n / 2, n - 1}) {
      for (const double pivot : {0.0, nan, infinity, -infinity}) {
        for (const Precision precision : kPrecisions) {
          SCOPED_TRACE(testing::Message() << n << ", column " << column << ", pivot " << pivot
                                          << ", " << name_of(precision));
          HostMixed block = conforming_block(n, Layout::RowMajor, precision);
          for (std::int64_t k = 0; k < column; ++k) {  // the column is not changed before
            block.set(column, k, 0);
            block.set(k, column, 0);
          }
          block.set(column, column, pivot);
          if (column + 1 < n) block.set(n - 1, n - 1, nan);  // only the first counts
          EXPECT_EQ(factorize(block, precision).result.bad_column, column);
        }
      }
    }
  }
}

// --- Extremes: n = 262144
// -------------------------------------------------------------------------

struct Extreme {
  const char* name;
  double shift;   ///< of the diagonal
  double factor;  ///< the power of two that brings the largest entry to 2^13 at most
};

/// A block of 512 columns and the rows below it, as the factorization takes them: in FP16 the
/// panel, its scaled inverse and their product. Entries of L21 are 2 / n and less, but what is
/// stored is s L21, whose largest entry is near that of the panel.
///
/// Bound: the panel, the inverse and the product are rounded once each, and the block's rounding
/// moves U by as much again. The columns of |s U^-1| add up to 1 at most. So no entry is off by
/// more than 4 2^-11 of the largest entry of the panel.
TEST_P(MixedDiagonalTest, KeepsPanelsOfHugeOrdersRelativeToTheirLargestEntry) {
  constexpr std::int64_t kLongOrder = 262144, kWidth = 512;
  const IndexMap columns{.block = kLongOrder, .stride = kLongOrder};
  const IndexMap below{.block = kLongOrder, .stride = kLongOrder, .first = kLongOrder - kWidth};
  const double root = std::sqrt(static_cast<double>(kLongOrder));
  for (const Extreme& extreme : {Extreme{"conforming", root, 8},
                                 {"dominant", static_cast<double>(kLongOrder) / 4, 0x1p-4}}) {
    for (const Precision of_block : {Precision::Fp32, Precision::Fp16}) {
      SCOPED_TRACE(testing::Message() << extreme.name << ", block in " << name_of(of_block));
      const MixedMatrix matrix{.order = kLongOrder, .shift = extreme.shift};
      const auto exact = [&](IndexMap rows) {
        HostMatrix result({kWidth, kWidth, Layout::ColumnMajor, 0, 0});
        for (std::int64_t j = 0; j < kWidth; ++j)
          for (std::int64_t i = 0; i < kWidth; ++i)
            result(i, j) = extreme.factor * (generator::value(generator::state_of(
                                                 kLongOrder, static_cast<std::uint64_t>(rows(i)),
                                                 static_cast<std::uint64_t>(columns(j)))) +
                                             (rows(i) == columns(j) ? extreme.shift : 0.0));
        return result;
      };
      const Shape square{kWidth, kWidth, Layout::RowMajor, 0, 0};
      const HostMixed in_fp16(square, Precision::Fp16);
      HostMixed block(square, of_block);
      const DeviceMixed of_a11 = upload(block), of_a21 = upload(in_fp16), l21 = upload(in_fp16);
      mixed_->generate(stream_, {matrix, columns, columns}, extreme.factor, of_a11.view);
      mixed_->generate(stream_, {matrix, below, columns}, extreme.factor, of_a21.view);
      block = download(of_a11, block);
      EXPECT_LE(largest(values(block)), 0x1p13);
      const DiagonalFactors factors = factorize(block, Precision::Fp16);
      expect_factors(block, factors);
      const DeviceMixed inverse = upload(HostMixed(factors.inverse_upper));
      mixed_->gemm(stream_, {1, of_a21.view, inverse.view, 0, l21.view});

      HostMatrix lu = exact(columns), expected = exact(below);
      const double largest_entry = largest(expected);
      for (std::int64_t k = 0; k < kWidth; ++k) {  // plain elimination in FP64
        for (std::int64_t i = k + 1; i < kWidth; ++i)
          lu(i, k) /= lu(k, k);
        for (std::int64_t j = k + 1; j < kWidth; ++j)
          for (std::int64_t i = k + 1; i < kWidth; ++i)
            lu(i, j) -= lu(i, k) * lu(k, j);
      }
      host::trsm({Triangle::Lower, Diagonal::NonUnit, lu.view().transposed()},
                 expected.view().transposed());  // X U = A21
      for (double& x : expected.storage)
        x *= factors.result.scale;
      EXPECT_GT(largest(expected), 0.4 * largest_entry);
      const HostMatrix actual = values(download(l21, in_fp16));
      EXPECT_TRUE(std::ranges::all_of(actual.storage, [](double x) { return std::isfinite(x); }));
      EXPECT_LE(distance(actual, expected), 4 * 0x1p-11 * largest_entry);
    }
  }
}

}  // namespace
}  // namespace hpcx::conformance
