#include "hpl/lu/update/product_trial.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "lu/update/typical_factors.h"
#include "support/cpu_device.h"
#include "support/forwarding_device.h"

namespace hpl {
namespace {

constexpr std::int64_t kAnyMemory = std::int64_t{1} << 50;
constexpr double kAnyTime = std::numeric_limits<double>::infinity();

TEST(ProductShape, StaysAsItIsWhereItFits) {
  const ProductShape shape{.rows = 30000, .columns = 4096, .depth = 192};
  EXPECT_EQ(shape.within(kAnyMemory, kAnyTime), shape);
  EXPECT_EQ(shape.within(shape.elements(), shape.flops()), shape);
}

TEST(ProductShape, LosesRowsBeforeColumnsWhereItTakesTooLong) {
  const ProductShape shape{.rows = 30000, .columns = 4096, .depth = 192};
  const ProductShape shorter = shape.within(kAnyMemory, shape.flops() / 3);
  EXPECT_EQ(shorter, (ProductShape{.rows = 10000, .columns = 4096, .depth = 192}));
  const ProductShape square = shape.within(kAnyMemory, 2.0 * 192 * 2048 * 2048);
  EXPECT_EQ(square, (ProductShape{.rows = 2048, .columns = 2048, .depth = 192}));
}

TEST(ProductShape, FitsIntoMemoryWithItsOperands) {
  const ProductShape shape{.rows = 100000, .columns = 32768, .depth = 2048};
  for (std::int64_t most = 1 << 20; most < shape.elements(); most *= 3) {
    const ProductShape small = shape.within(most, kAnyTime);
    EXPECT_LE(small.elements(), most);
    EXPECT_GT(small.within(most, kAnyTime).elements(), most * 9 / 10);
    EXPECT_EQ(small.rows % 16, 0);
    EXPECT_EQ(small.columns % 16, 0);
  }
}

TEST(ProductTrial, TellsTheRateOfEveryStretchAndCallsBackInEach) {
  const auto device = test::open_cpu(2);
  ProductTrial trial(*device, {.rows = 96, .columns = 48, .depth = 32});
  int calls = 0;
  const std::vector<double> rates = trial.rates(0.02, 0.002, [&] { ++calls; });
  EXPECT_EQ(std::ssize(rates), calls);
  EXPECT_GE(calls, 1);
  for (const double rate : rates)
    EXPECT_GT(rate, 0);
}

TEST(ProductTrial, MakesProductsOfHplMxpInItsFormats) {
  const auto device = test::open_cpu(2);
  using hpcx::Precision;
  for (const MixedSpec& mixed :
       {MixedSpec{}, MixedSpec{.storage = Precision::Fp32},
        MixedSpec{.operands = Precision::Fp32, .storage = Precision::Fp32}})
    EXPECT_GT(ProductTrial(*device, {.rows = 65, .columns = 40, .depth = 33}, mixed)
                  .rates(0, 0.001)
                  .front(),
              0);
}

TEST(ProductTrial, MeasuresOneStretchWhereNoTimeIsGiven) {
  const auto device = test::open_cpu(1);
  ProductTrial trial(*device, {.rows = 33, .columns = 100, .depth = 7});
  EXPECT_EQ(trial.rates(0, 0.001).size(), 1U);
  EXPECT_EQ(trial.rates(0, 0.001).size(), 1U);
}

/// Sees the operands of the products.
class Onlooker : public test::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  double largest_of_u12() const { return largest_; }

 protected:
  void gemm(hpcx::StreamRef stream, const hpcx::MatrixProduct& product) override {
    const hpcx::ConstMatrixView& b = product.b;
    for (std::int64_t i = 0; i < b.rows; ++i)
      for (std::int64_t j = 0; j < b.cols; ++j)
        largest_ = std::max(largest_, std::abs(b(i, j)));
    ForwardingDevice::gemm(stream, product);
  }

 private:
  double largest_ = 0;
};

TEST(ProductTrial, MultipliesTheValuesThatAreAskedFor) {
  const auto device = test::open_cpu(1);
  const ProductShape shape{.rows = 33, .columns = 100, .depth = 7};
  Onlooker random(*device), factors(*device);
  EXPECT_GT(ProductTrial(random, shape).rates(0, 0.001).front(), 0);
  EXPECT_GT(ProductTrial(factors, shape, {.values = ProductValues::Factors, .shift = 3})
                .rates(0, 0.001)
                .front(),
            0);
  EXPECT_GT(random.largest_of_u12(), 0.4);
  EXPECT_LE(random.largest_of_u12(), 0.5);
  EXPECT_GT(factors.largest_of_u12(), 10);
}

TEST(ProductTrial, MultipliesResiduesWhereModuliAreAskedFor) {
  const auto device = test::open_cpu(1);
  Onlooker emulated(*device);
  const ProductShape shape{.rows = 33, .columns = 100, .depth = 7};
  EXPECT_GT(ProductTrial(emulated, shape, {.moduli = 14}).rates(0, 0.001).front(), 0);
  EXPECT_EQ(emulated.largest_of_u12(), 0) << "a product in FP64";
}

TEST(ProductTrial, WorksInTheThreadThatHoldsTheDevice) {
  const auto device = test::open_cpu(1);
  const auto lease = device->compute_here();
  ProductTrial trial(*device, {.rows = 64, .columns = 64, .depth = 16});
  EXPECT_GT(trial.rates(0, 0.001).front(), 0);
}

using hpcx::Layout;

constexpr std::int64_t kRows = 600, kDepth = 150, kColumns = 300;
constexpr std::int64_t kSampleSize = 256, kSampleDepth = 128;

class TypicalFactors : public ::testing::Test {
 protected:
  TypicalFactors() { fill_with_typical_factors(*device_, stream_, l21_, u12_); }

  static double root_mean_square(hpcx::ConstMatrixView a) {
    double squares = 0;
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (std::int64_t j = 0; j < a.cols; ++j)
        squares += a(i, j) * a(i, j);
    return std::sqrt(squares / static_cast<double>(a.rows * a.cols));
  }

  std::unique_ptr<hpcx::Device> device_ = test::open_cpu(1);
  hpcx::Stream stream_ = device_->create_stream(hpcx::Priority::Normal);
  std::vector<double> l_memory_ = std::vector<double>((kRows + 3) * kDepth, NAN);
  std::vector<double> u_memory_ = std::vector<double>(kDepth * (kColumns + 5), NAN);
  hpcx::MatrixView l21_{l_memory_.data(), kRows, kDepth, kRows + 3, Layout::ColumnMajor};
  hpcx::MatrixView u12_{u_memory_.data(), kDepth, kColumns, kColumns + 5, Layout::RowMajor};
};

TEST_F(TypicalFactors, AreMultipliersOfPivotedColumns) {
  for (std::int64_t j = 0; j < kDepth; ++j)
    for (std::int64_t i = 0; i < kRows; ++i)
      ASSERT_LE(std::abs(l21_(i, j)), 1);
  const double size = root_mean_square(l21_);
  EXPECT_GT(size, 0.2);
  EXPECT_LT(size, 0.4);
}

TEST_F(TypicalFactors, HaveRowsOfUAsLateInALargeFactorization) {
  EXPECT_NEAR(root_mean_square(u12_.block(0, 0, kSampleDepth, kSampleSize)), 10, 1e-9);
  std::int64_t small = 0;
  for (std::int64_t i = 0; i < kDepth; ++i)
    for (std::int64_t j = 0; j < kColumns; ++j)
      small += std::abs(u12_(i, j)) < 2 ? 1 : 0;
  const double share = static_cast<double>(small) / (kDepth * kColumns);
  EXPECT_GT(share, 0.1);
  EXPECT_LT(share, 0.25);
}

TEST_F(TypicalFactors, RepeatAndFillTheLastBlocks) {
  for (std::int64_t i = 0; i < kRows; ++i)
    for (std::int64_t j = 0; j < kDepth; ++j)
      ASSERT_EQ(l21_(i, j), l21_(i % kSampleSize, j % kSampleDepth)) << i << ", " << j;
  for (std::int64_t i = 0; i < kDepth; ++i)
    for (std::int64_t j = 0; j < kColumns; ++j)
      ASSERT_EQ(u12_(i, j), u12_(i % kSampleDepth, j % kSampleSize)) << i << ", " << j;
}

TEST_F(TypicalFactors, LeaveAloneWhatLiesBetweenTheirColumnsAndRows) {
  EXPECT_TRUE(std::isnan(l_memory_[kRows]));
  EXPECT_TRUE(std::isnan(u_memory_[kColumns]));
}

}  // namespace
}  // namespace hpl
