#include <cmath>
#include <limits>
#include <random>

#include "device_fixture.h"
#include "hpcx/error.h"
#include "hpcx/ladder.h"

namespace hpcx::conformance {
namespace {

class LadderTest : public DeviceTest {
 protected:
  void SetUp() override {
    if (device_->ladder() == nullptr) GTEST_SKIP() << "this device has no ladder of products";
  }

  template <class T>
  static std::vector<T> random_values(std::int64_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values)
      value = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
    return values;
  }

  /// Every rung multiplies m x k by k x n, lines `pad` apart, and touches nothing else.
  template <class T>
  void multiply(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t pad) {
    constexpr Layout kRows = Layout::RowMajor;
    const std::int64_t lda = k + pad, ldb = n + pad, ldc = n + pad;
    const auto a = random_values<T>(m * lda, 1), b = random_values<T>(k * ldb, 2);
    const std::vector<T> before(static_cast<std::size_t>(m * ldc),
                                std::numeric_limits<T>::quiet_NaN());
    const Buffer on_a = upload(a), on_b = upload(b);
    for (const LadderRung& rung : device_->ladder()->rungs()) {
      SCOPED_TRACE(testing::Message()
                   << "rung " << static_cast<int>(rung.kind) << ", " << rung.parameter << ": " << m
                   << " x " << n << " x " << k << ", " << sizeof(T) << " bytes");
      const Buffer on_c = upload(before);
      device_->ladder()->multiply(stream_, rung,
                                  BasicProduct<T>{.a = {on_a.as<T>(), m, k, lda, kRows},
                                                  .b = {on_b.as<T>(), k, n, ldb, kRows},
                                                  .c = {on_c.as<T>(), m, n, ldc, kRows}});
      const std::vector<T> c = download<T>(on_c, before.size());
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < ldc; ++j) {
          const T value = c[static_cast<std::size_t>(i * ldc + j)];
          if (j >= n) {
            ASSERT_TRUE(std::isnan(value)) << i << ", " << j << " is beyond the matrix";
            continue;
          }
          double sum = 0, size = 0;
          for (std::int64_t l = 0; l < k; ++l) {
            const double term = static_cast<double>(a[static_cast<std::size_t>(i * lda + l)]) *
                                static_cast<double>(b[static_cast<std::size_t>(l * ldb + j)]);
            sum += term;
            size += std::abs(term);
          }
          const double bound = static_cast<double>(k + 1) *
                               static_cast<double>(std::numeric_limits<T>::epsilon()) * size;
          ASSERT_LE(std::abs(static_cast<double>(value) - sum), bound) << i << ", " << j;
        }
    }
  }
};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(LadderTest);

TEST_P(LadderTest, EveryRungMultipliesAnySizesInBothPrecisions) {
  struct Size {
    std::int64_t m, n, k, pad;
  };
  for (const Size& size :
       {Size{1, 1, 1, 0}, Size{4, 3, 0, 1}, Size{5, 3, 2, 1}, Size{64, 64, 64, 0},
        Size{65, 63, 9, 3}, Size{37, 130, 71, 2}, Size{130, 33, 200, 0}}) {
    multiply<double>(size.m, size.n, size.k, size.pad);
    multiply<float>(size.m, size.n, size.k, size.pad);
  }
}

TEST_P(LadderTest, RungsBeginWithThePlainestAndEndWithTheLibrary) {
  const std::vector<LadderRung> rungs = device_->ladder()->rungs();
  ASSERT_GE(rungs.size(), 3U);
  EXPECT_EQ(rungs.back(), (LadderRung{LadderKind::Library, 0}));
  EXPECT_EQ(std::count(rungs.begin(), rungs.end(), rungs.back()), 1);
}

TEST_P(LadderTest, TheRungsOfOthersAreRefused) {
  const bool host = device_->shares_host_memory();
  const Buffer memory = device_->allocate(64);
  const MatrixView one{memory.as<double>(), 1, 1, 1, Layout::RowMajor};
  EXPECT_THROW(
      device_->ladder()->multiply(stream_, {host ? LadderKind::Tiles : LadderKind::Blocked, 1},
                                  MatrixProduct{.a = one, .b = one, .c = one}),
      Error);
}

TEST_P(LadderTest, TheRofATallMatrixHasItsColumnsProducts) {
  struct Size {
    std::int64_t rows, cols, pad;
  };
  for (const Size& size :
       {Size{1, 1, 0}, Size{2, 2, 0}, Size{128, 32, 0}, Size{129, 32, 1}, Size{1000, 7, 3},
        Size{2100, 32, 0}, Size{9001, 5, 1}, Size{33000, 1, 0}}) {
    const auto [m, n, pad] = size;
    SCOPED_TRACE(testing::Message() << m << " x " << n);
    HostMatrix a = random_matrix({m, n, Layout::ColumnMajor, pad, 0}, 3);
    const DeviceMatrix on_device = upload(a);
    const Buffer work = device_->allocate(static_cast<std::size_t>(8 * tall_skinny_work(m, n)));
    const DeviceMatrix result = upload(HostMatrix({n, n, Layout::ColumnMajor, 0, 0}));
    device_->ladder()->tall_skinny_r(stream_, on_device.view, work.as<double>(), result.view);
    HostMatrix r = download(result, {n, n, Layout::ColumnMajor, 0, 0});
    // R^T R = A^T A, up to rounding of sums of m terms.
    const double bound = 20 * static_cast<double>(n) * std::log2(static_cast<double>(m) + 2) *
                         std::numeric_limits<double>::epsilon();
    for (std::int64_t p = 0; p < n; ++p)
      for (std::int64_t q = p; q < n; ++q) {
        long double of_a = 0, of_r = 0, size_p = 0, size_q = 0;
        for (std::int64_t i = 0; i < m; ++i) {
          of_a += static_cast<long double>(a(i, p)) * a(i, q);
          size_p += static_cast<long double>(a(i, p)) * a(i, p);
          size_q += static_cast<long double>(a(i, q)) * a(i, q);
        }
        for (std::int64_t i = 0; i < n; ++i)
          of_r += static_cast<long double>(r(i, p)) * r(i, q);
        ASSERT_LE(static_cast<double>(std::abs(of_a - of_r)),
                  bound * static_cast<double>(std::sqrt(size_p * size_q)))
            << p << ", " << q;
        if (q > p) {
          ASSERT_EQ(r(q, p), 0) << "below the diagonal";
        }
      }
  }
}

TEST_P(LadderTest, AMatrixWithoutEntriesBelowItsTriangleIsItsOwnR) {
  HostMatrix a = random_matrix({300, 4, Layout::ColumnMajor, 0, 0}, 5);
  for (std::int64_t i = 0; i < 300; ++i)
    for (std::int64_t j = 0; j < 4; ++j)
      if (i > j) a(i, j) = 0;
  const DeviceMatrix on_device = upload(a);
  const Buffer work = device_->allocate(static_cast<std::size_t>(8 * tall_skinny_work(300, 4)));
  const DeviceMatrix result = upload(HostMatrix({4, 4, Layout::ColumnMajor, 0, 0}));
  device_->ladder()->tall_skinny_r(stream_, on_device.view, work.as<double>(), result.view);
  HostMatrix r = download(result, {4, 4, Layout::ColumnMajor, 0, 0});
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t j = i; j < 4; ++j)
      EXPECT_EQ(r(i, j), a(i, j));
}

}  // namespace
}  // namespace hpcx::conformance
