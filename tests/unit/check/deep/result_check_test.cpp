#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "check/deep/product_oracle.h"
#include "check/deep/tall_skinny.h"
#include "support/cpu_device.h"

namespace hpl {
namespace {

template <class T>
std::vector<T> random_values(std::int64_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values)
    value = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
  return values;
}

template <class T>
class ProductOracleOf : public testing::Test {
 protected:
  static constexpr std::int64_t kOrder = 67;

  /// C, summed in T.
  std::vector<T> product() const {
    std::vector<T> c(static_cast<std::size_t>(kOrder * kOrder));
    for (std::int64_t i = 0; i < kOrder; ++i)
      for (std::int64_t j = 0; j < kOrder; ++j) {
        T sum{0};
        for (std::int64_t k = 0; k < kOrder; ++k)
          sum += a_[static_cast<std::size_t>(i * kOrder + k)] *
                 b_[static_cast<std::size_t>(k * kOrder + j)];
        c[static_cast<std::size_t>(i * kOrder + j)] = sum;
      }
    return c;
  }

  std::unique_ptr<hpcx::Device> host_ = test::open_cpu(1);
  std::vector<T> a_ = random_values<T>(kOrder * kOrder, 1),
                 b_ = random_values<T>(kOrder * kOrder, 2);
  ProductOracle<T> oracle_{*host_, kOrder, a_.data(), b_.data()};
};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(ProductOracleOf, Precisions);

TYPED_TEST(ProductOracleOf, AcceptsTheProductWithItsRounding) {
  const double ratio = this->oracle_.worst_ratio(this->product().data());
  EXPECT_LE(ratio, 1);
  EXPECT_GT(ratio, 0);
}

TYPED_TEST(ProductOracleOf, SeesOneWrongElementAndOneThatIsNoNumber) {
  std::vector<TypeParam> c = this->product();
  c[1234] += static_cast<TypeParam>(0.01);
  EXPECT_GT(this->oracle_.worst_ratio(c.data()), 1);
  c[1234] = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_TRUE(std::isinf(this->oracle_.worst_ratio(c.data())));
}

TYPED_TEST(ProductOracleOf, SeesTwoColumnsThatChangedPlaces) {
  std::vector<TypeParam> c = this->product();
  for (std::int64_t i = 0; i < this->kOrder; ++i)
    std::swap(c[static_cast<std::size_t>(i * this->kOrder + 5)],
              c[static_cast<std::size_t>(i * this->kOrder + 8)]);
  EXPECT_GT(this->oracle_.worst_ratio(c.data()), 1);
}

TEST(TallSkinnyRatio, AcceptsAnRWhateverItsSignsAndSeesAWrongOne) {
  constexpr std::int64_t kRows = 300, kColumns = 5;
  const std::unique_ptr<hpcx::Device> host = test::open_cpu(1);
  const hpcx::Stream stream = host->create_stream(hpcx::Priority::Normal);
  std::vector<double> a = random_values<double>(kRows * kColumns, 4), r(kColumns * kColumns);
  std::vector<double> work(static_cast<std::size_t>(hpcx::tall_skinny_work(kRows, kColumns)));
  const hpcx::MatrixView a_view{a.data(), kRows, kColumns, kRows};
  const hpcx::MatrixView r_view{r.data(), kColumns, kColumns, kColumns};
  host->ladder()->tall_skinny_r(stream, a_view, work.data(), r_view);
  stream.ref().synchronize();
  EXPECT_LE(tall_skinny_ratio(a_view, r_view), 1);
  for (std::int64_t j = 2; j < kColumns; ++j)
    r_view(2, j) = -r_view(2, j);
  EXPECT_LE(tall_skinny_ratio(a_view, r_view), 1);
  r_view(1, 3) += 1e-6;
  EXPECT_GT(tall_skinny_ratio(a_view, r_view), 1);
  r_view(1, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isinf(tall_skinny_ratio(a_view, r_view)));
}

}  // namespace
}  // namespace hpl
