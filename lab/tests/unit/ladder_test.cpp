#include <cmath>
#include <limits>
#include <random>

#include "device/device_fixture.h"
#include "hpcx/error.h"
#include "ladder/ladder.h"

namespace hpcx::conformance {
namespace {

class LadderTest : public DeviceTest {
 protected:
  void SetUp() override {
    ladder_ = make_ladder(*device_);
    if (ladder_ == nullptr) GTEST_SKIP() << "this device has no ladder of products";
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
    for (const LadderRung& rung : ladder_->rungs()) {
      SCOPED_TRACE(testing::Message()
                   << "rung " << static_cast<int>(rung.kind) << ", " << rung.parameter << ": " << m
                   << " x " << n << " x " << k << ", " << sizeof(T) << " bytes");
      const Buffer on_c = upload(before);
      ladder_->multiply(stream_, rung,
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

  std::unique_ptr<Ladder> ladder_;
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
  const std::vector<LadderRung> rungs = ladder_->rungs();
  ASSERT_GE(rungs.size(), 3U);
  EXPECT_EQ(rungs.back(), (LadderRung{LadderKind::Library, 0}));
  EXPECT_EQ(std::count(rungs.begin(), rungs.end(), rungs.back()), 1);
}

TEST_P(LadderTest, TheRungsOfOthersAreRefused) {
  const bool host = device_->shares_host_memory();
  const Buffer memory = device_->allocate(64);
  const MatrixView one{memory.as<double>(), 1, 1, 1, Layout::RowMajor};
  EXPECT_THROW(ladder_->multiply(stream_, {host ? LadderKind::Tiles : LadderKind::Blocked, 1},
                                 MatrixProduct{.a = one, .b = one, .c = one}),
               Error);
}

}  // namespace
}  // namespace hpcx::conformance
